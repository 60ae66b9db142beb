package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.MessagePublisher;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Publishes messages. */
public final class PublishResource implements Resource {
  private static final String TAG = "Publish";
  private static final int MAX_MESSAGES = 1_000;
  private static final String DESCRIPTION =
      "The response is sent at the point at which a PUBACK would be: once the message is durable "
          + "in all matching persistent sessions and, if it is retained, in the retain store.";
  private static final String UNMATCHED = "There are no matching subscribers (reason code 16)";
  private static final String FAILED = "The message could not be stored or delivered; try again";

  private final MessagePublisher publisher;

  public PublishResource(MessagePublisher publisher) {
    this.publisher = publisher;
  }

  @Override
  public List<Operation> operations() {
    return List.of(publish(), publishMany());
  }

  private Operation publish() {
    return Operation.post("/publish")
        .id("publish")
        .tag(TAG)
        .summary("Publish a message")
        .description(DESCRIPTION)
        .role(Role.OPERATOR)
        .tenants()
        .query(TopicTenant.parameter())
        .body(PublishJson.class)
        .ok(PublishedJson.class)
        .response(202, UNMATCHED, PublishedJson.class)
        .response(503, FAILED, PublishedJson.class)
        .handler(
            QueryErrors.translated(
                request -> publish(request, List.of(request.body(PublishJson.class)), false)));
  }

  private Operation publishMany() {
    return Operation.post("/publish/bulk")
        .id("publishMany")
        .tag(TAG)
        .summary("Publish several messages in order")
        .description(
            DESCRIPTION
                + " The response has one element per message. Its status is 200 if all messages"
                + " were accepted, 202 if some had no subscribers, 503 if some failed.")
        .role(Role.OPERATOR)
        .tenants()
        .query(TopicTenant.parameter())
        .bodyList(PublishJson.class, MAX_MESSAGES)
        .okArray(PublishedJson.class)
        .responseArray(202, UNMATCHED, PublishedJson.class)
        .responseArray(503, FAILED, PublishedJson.class)
        .handler(
            QueryErrors.translated(
                request -> publish(request, request.bodyList(PublishJson.class), true)));
  }

  private CompletableFuture<Response> publish(
      Request request, List<PublishJson> messages, boolean asList) {
    long now = publisher.nowMillis();
    return publisher
        .publish(
            TopicTenant.of(request), messages.stream().map(each -> each.toMessage(now)).toList())
        .thenApply(
            outcomes -> {
              int status = outcomes.stream().mapToInt(PublishedJson::status).max().orElse(200);
              List<PublishedJson> bodies = outcomes.stream().map(PublishedJson::of).toList();
              return Response.of(status, asList ? bodies : bodies.get(0));
            });
  }
}
