package io.fjordmq.auth.http;

import io.fjordmq.api.auth.ActionContext;
import io.fjordmq.api.auth.ActionProvider;
import io.fjordmq.api.auth.AuthorizationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.Placeholder;
import io.fjordmq.api.auth.PlaceholderValues;
import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.api.plugin.Action;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asks an HTTP service about each action. */
final class HttpAuthorization implements ActionProvider {
  private final HttpService service;
  private final boolean emqx4;

  /**
   * @param emqx4 whether only the status of the response counts
   */
  HttpAuthorization(HttpService service, boolean emqx4) {
    this.service = service;
    this.emqx4 = emqx4;
  }

  @Override
  public CompletionStage<AuthorizationResult> authorize(ClientContext client, Action action) {
    try {
      CompletableFuture<HttpService.Response> sent = service.send(prepare(client, action));
      CompletableFuture<AuthorizationResult> result = sent.thenApply(this::resultOf);
      result.whenComplete(
          (done, error) -> {
            if (result.isCancelled()) {
              sent.cancel(true);
            }
          });
      return result;
    } catch (ProviderException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private HttpService.Prepared prepare(ClientContext client, Action action)
      throws ProviderException {
    ActionContext context = new ActionContext(client, action);
    return service.prepare(emqx4 ? numbered(context) : context);
  }

  /** In EMQX 4, an action is a number: 1 subscribe, 2 publish. */
  private static PlaceholderValues numbered(ActionContext context) {
    return placeholder ->
        placeholder.kind() == Placeholder.Kind.ACTION
            ? (context.action() instanceof Action.Publish ? "2" : "1")
            : context.apply(placeholder);
  }

  private AuthorizationResult resultOf(HttpService.Response response) {
    try {
      Verdict verdict = Verdict.of(response, emqx4);
      return new AuthorizationResult(verdict.result(), verdict.detail(), response.maxAge());
    } catch (ProviderException e) {
      throw new CompletionException(e);
    } catch (IllegalArgumentException e) {
      throw new CompletionException(
          ProviderException.aboutClient("invalid response: " + e.getMessage(), e));
    }
  }

  @Override
  public @Nullable String cacheKey(ClientContext client, Action action) {
    try {
      return prepare(client, action).text();
    } catch (ProviderException e) {
      return null;
    }
  }

  @Override
  public void close() {
    service.close();
  }
}
