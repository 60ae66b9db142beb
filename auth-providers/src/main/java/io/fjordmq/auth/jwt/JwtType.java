package io.fjordmq.auth.jwt;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.ProviderType;
import java.util.List;

/** Authentication with JSON Web Tokens. */
public final class JwtType implements ProviderType {
  @Override
  public String name() {
    return "jwt";
  }

  @Override
  public List<ProviderKey> keys() {
    return JwtSettings.KEYS;
  }

  @Override
  public boolean authenticates() {
    return true;
  }

  @Override
  public boolean authorizes() {
    return false;
  }

  @Override
  public Opening<AuthenticationProvider> authentication(ProviderSettings settings) {
    JwtSettings tokens = JwtSettings.of(settings);
    return executor -> new JwtAuthentication(tokens, tokens.keys().open());
  }
}
