package io.fjordmq.broker.http;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** The REST API behind the HTTP port. Thread-safe; its methods do not block. */
public interface Api {
  /**
   * Whether requests for a path belong to the API.
   *
   * @param path the path of a request, not decoded
   */
  boolean serves(String path);

  /**
   * Handles a request, whether valid or not. Called on a thread of the API.
   *
   * @param threads the threads of the API, on which responses are prepared
   * @return completes on any thread, and never with an exception that a client causes
   */
  CompletableFuture<HttpReply> handle(ApiCall call, Executor threads);

  /**
   * Checks the credentials of a request for a page that is not part of the API, such as /metrics.
   * Every role may read these pages, but callers that are bound to a tenant may not.
   *
   * @return completes on any thread: empty if the caller may read the page, otherwise the response
   */
  CompletableFuture<Optional<HttpReply>> refuse(ApiCall call);

  /**
   * Checks whether the sender of a request may connect as an MQTT client through the HTTP port.
   *
   * @return completes on any thread
   */
  CompletableFuture<MqttAdmission> admitMqttClient(ApiCall call);
}
