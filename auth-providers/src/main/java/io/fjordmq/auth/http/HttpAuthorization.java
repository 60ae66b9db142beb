package io.fjordmq.auth.http;

import io.fjordmq.api.auth.ActionAnswer;
import io.fjordmq.api.auth.ActionFacts;
import io.fjordmq.api.auth.ActionProvider;
import io.fjordmq.api.auth.ClientFacts;
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
  public CompletionStage<ActionAnswer> authorize(ClientFacts client, Action action) {
    try {
      CompletableFuture<HttpService.Answer> sent = service.send(prepare(client, action));
      CompletableFuture<ActionAnswer> answer = sent.thenApply(this::answerOf);
      answer.whenComplete(
          (done, error) -> {
            if (answer.isCancelled()) {
              sent.cancel(true);
            }
          });
      return answer;
    } catch (ProviderException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private HttpService.Prepared prepare(ClientFacts client, Action action) throws ProviderException {
    ActionFacts facts = new ActionFacts(client, action);
    return service.prepare(emqx4 ? numbered(facts) : facts);
  }

  /** In EMQX 4, an action is a number: 1 subscribe, 2 publish. */
  private static PlaceholderValues numbered(ActionFacts facts) {
    return placeholder ->
        placeholder.kind() == Placeholder.Kind.ACTION
            ? (facts.action() instanceof Action.Publish ? "2" : "1")
            : facts.apply(placeholder);
  }

  private ActionAnswer answerOf(HttpService.Answer response) {
    try {
      Verdict verdict = Verdict.of(response, emqx4);
      return new ActionAnswer(verdict.result(), verdict.detail(), response.maxAge());
    } catch (ProviderException e) {
      throw new CompletionException(e);
    } catch (IllegalArgumentException e) {
      throw new CompletionException(
          ProviderException.aboutClient("invalid response: " + e.getMessage(), e));
    }
  }

  @Override
  public @Nullable String cacheKey(ClientFacts client, Action action) {
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
