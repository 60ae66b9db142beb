package io.fjordmq.auth.http;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthorizationProvider;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.ProviderType;
import java.util.List;

/** Authentication and authorization by an HTTP service. */
public final class HttpType implements ProviderType {
  @Override
  public String name() {
    return "http";
  }

  @Override
  public List<ProviderKey> keys() {
    return HttpSettings.KEYS;
  }

  @Override
  public boolean authenticates() {
    return true;
  }

  @Override
  public boolean authorizes() {
    return true;
  }

  @Override
  public Opening<AuthenticationProvider> authentication(ProviderSettings settings) {
    HttpSettings service = HttpSettings.of(settings, false);
    return executor -> new HttpAuthentication(new HttpService(service), service.emqx4());
  }

  @Override
  public Opening<AuthorizationProvider> authorization(ProviderSettings settings) {
    HttpSettings service = HttpSettings.of(settings, true);
    return executor -> new HttpAuthorization(new HttpService(service), service.emqx4());
  }
}
