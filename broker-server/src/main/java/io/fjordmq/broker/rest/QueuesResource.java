package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.ClientQueries;
import io.fjordmq.broker.query.ClientRow;
import io.fjordmq.broker.query.QueueQueries;
import io.fjordmq.broker.query.QueueQueries.QueuePosition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Queued and in-flight messages of clients. Reading them has no side effects. */
public final class QueuesResource implements Resource {
  private static final String TAG = "Queues";
  private static final String POSITION = "[0-9]{1,9}-[0-9]{1,18}";
  private static final int DEFAULT_MESSAGES = 100;
  private static final int DEFAULT_PAYLOAD_BYTES = 1_024;
  private static final int MAX_PAYLOAD_BYTES = 1 << 20;

  /** Bounds the memory that a request takes. */
  private static final int MAX_TOTAL_BYTES = 4 << 20;

  /** Estimated memory of a message without its payload. */
  private static final long MESSAGE_BYTES = 2_048;

  private final QueueQueries queues;
  private final ClientLookup lookup;

  public QueuesResource(QueueQueries queues, ClientQueries clients) {
    this.queues = queues;
    this.lookup = new ClientLookup(clients);
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        operation("/clients/{clientid}/mqueue_messages")
            .id("listQueuedMessages")
            .summary("List messages waiting to be sent to a client")
            .description(
                "Messages of connected clients that wait in memory come first, then those stored"
                    + " for the persistent session. Nothing is removed or marked as sent.")
            .handler(QueryErrors.translated(request -> read(request, queues::queued))),
        operation("/clients/{clientid}/inflight_messages")
            .id("listInflightMessages")
            .summary("List messages that a client has not acknowledged")
            .description(
                "FjordMQ does not keep messages that are in flight to a transient session, or that"
                    + " wait for PUBCOMP; these have a packet identifier but no topic. An offline"
                    + " session has no messages in flight.")
            .handler(QueryErrors.translated(request -> read(request, queues::inflight))));
  }

  private static Operation.Builder operation(String path) {
    return Operation.get(path)
        .tag(TAG)
        .role(Role.VIEWER)
        .tenants()
        .path("clientid", "Client identifier")
        .query(
            Parameter.number(
                    "limit",
                    "Maximum number of messages; fewer if `limit` times `max_payload_bytes` exceeds"
                        + " 4 MiB",
                    1,
                    QueueQueries.MAX_MESSAGES)
                .orElse(DEFAULT_MESSAGES))
        .query(Parameter.text("position", "`meta.position` of the previous page", POSITION, 28))
        .query(
            Parameter.choice(
                    "payload",
                    "How payloads are shown",
                    List.of(
                        QueuedMessageJson.BASE64, QueuedMessageJson.PLAIN, QueuedMessageJson.NONE))
                .orElse(QueuedMessageJson.BASE64))
        .query(
            Parameter.number(
                    "max_payload_bytes",
                    "Maximum payload size in bytes; longer payloads are truncated",
                    0,
                    MAX_PAYLOAD_BYTES)
                .orElse(DEFAULT_PAYLOAD_BYTES))
        .query(ClientLookup.tenantParameter())
        .memory(QueuesResource::memory)
        .ok(QueuePageJson.class)
        .notFound("No client or session has this identifier")
        .conflict("The identifier exists in several tenants")
        .error(503, "Some nodes did not respond");
  }

  /** Reads a page of one kind of messages. */
  private interface Reader {
    CompletableFuture<QueueQueries.Page> read(
        ClientRow client, QueuePosition from, int limit, int maxPayloadBytes);
  }

  /** Payloads are in memory as bytes, as text and in the JSON. */
  private static long memory(Request request) {
    int maxPayload = maxPayload(request);
    return (MESSAGE_BYTES + 4L * maxPayload) * limit(request, maxPayload);
  }

  private static int maxPayload(Request request) {
    return encoding(request).equals(QueuedMessageJson.NONE)
        ? 0
        : request.number("max_payload_bytes");
  }

  private static int limit(Request request, int maxPayload) {
    return Math.min(request.number("limit"), MAX_TOTAL_BYTES / Math.max(1, maxPayload));
  }

  private static String encoding(Request request) {
    return request.text("payload").orElse(QueuedMessageJson.BASE64);
  }

  private CompletableFuture<Response> read(Request request, Reader reader) {
    QueuePosition from =
        request.text("position").map(QueuesResource::position).orElse(QueuePosition.START);
    String encoding = encoding(request);
    int maxPayload = maxPayload(request);
    int limit = limit(request, maxPayload);
    return lookup
        .find(request, request.path("clientid"))
        .thenCompose(client -> reader.read(client, from, limit, maxPayload))
        .thenApply(page -> response(page, limit, encoding));
  }

  private static QueuePosition position(String text) {
    int dash = text.indexOf('-');
    return new QueuePosition(
        Integer.parseInt(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
  }

  private static Response response(QueueQueries.Page page, int limit, String encoding) {
    @Nullable QueuePosition next = page.next();
    return Response.ok(
        new QueuePageJson(
            page.messages().stream()
                .map(message -> QueuedMessageJson.of(message, encoding))
                .toList(),
            new QueuePageJson.QueueMetaJson(
                next == null ? null : next.inMemory() + "-" + next.sequence(),
                limit,
                next != null)));
  }
}
