package io.fjordmq.broker.http;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.Configuration;
import org.eclipse.jetty.websocket.core.WebSocketComponents;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.core.server.WebSocketMappings;
import org.eclipse.jetty.websocket.core.server.WebSocketNegotiator;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts MQTT clients on the path {@code /mqtt}, for the web page. Unlike on the listeners for
 * devices, the HTTP request needs the credentials of an account of the API. A browser cannot add
 * headers to a WebSocket request, so a token may also be one of the offered sub-protocols, after
 * {@value #TOKEN_PREFIX}.
 *
 * <p>While the client is connected, its credentials are checked periodically, so that a logout or
 * an expired token ends the connection. {@code httpConfig.maxConnections} limits the number of
 * clients. Thread-safe; does not block.
 */
final class MqttUpgrade {
  private static final Logger LOG = LoggerFactory.getLogger(MqttUpgrade.class);
  private static final String PATH = "/mqtt";
  private static final String SUB_PROTOCOL = "mqtt";
  private static final String TOKEN_PREFIX = "fjordmq.bearer.";
  private static final int INPUT_BUFFER_BYTES = 16 << 10;
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);

  private final MqttClients clients;
  private final ApiCalls api;

  MqttUpgrade(MqttClients clients, ApiCalls api) {
    this.clients = clients;
    this.api = api;
  }

  static boolean serves(String path) {
    return path.equals(PATH);
  }

  /** Handles a request for the path. */
  void handle(Exchange exchange) {
    HttpFields headers = exchange.request().getHeaders();
    if (!headers.contains(HttpHeader.UPGRADE, "websocket")) {
      exchange.send(
          HttpReply.text(
                  HttpStatus.UPGRADE_REQUIRED_426,
                  "this path is for MQTT over WebSocket, with the credentials of the API\n")
              .withHeader("Upgrade", "websocket"));
      return;
    }
    if (!offered(headers, SUB_PROTOCOL)) {
      exchange.send(
          HttpReply.text(
              HttpStatus.BAD_REQUEST_400, "the WebSocket sub-protocol mqtt is required\n"));
      return;
    }
    ApiCall call = api.call(exchange, authorization(headers));
    api.admit(call)
        .whenComplete(
            (admission, failure) -> {
              if (admission instanceof MqttAdmission.Admitted admitted) {
                upgrade(exchange, call, admitted.user());
              } else if (admission instanceof MqttAdmission.Refused refused) {
                exchange.send(refused.reply());
              } else {
                exchange.send(ApiCalls.failed(exchange, failure));
              }
            });
  }

  /** Several header lines are equivalent to one. */
  private static boolean offered(HttpFields headers, String protocol) {
    return headers.getCSV(HttpHeader.SEC_WEBSOCKET_SUBPROTOCOL, false).contains(protocol);
  }

  private static Optional<String> authorization(HttpFields headers) {
    Optional<String> token =
        headers.getCSV(HttpHeader.SEC_WEBSOCKET_SUBPROTOCOL, false).stream()
            .filter(protocol -> protocol.startsWith(TOKEN_PREFIX))
            .map(protocol -> "Bearer " + protocol.substring(TOKEN_PREFIX.length()))
            .findFirst();
    return token.or(() -> Optional.ofNullable(headers.get(HttpHeader.AUTHORIZATION)));
  }

  private void upgrade(Exchange exchange, ApiCall call, MqttUser user) {
    Request request = exchange.request();
    WebSocketComponents components =
        WebSocketServerComponents.ensureWebSocketComponents(
            request.getConnectionMetaData().getConnector().getServer());
    Scheduler scheduler = request.getComponents().getScheduler();
    WebSocketNegotiator negotiator =
        (upgrade, response, callback) -> {
          acceptSubProtocol(response);
          MqttFrames frames =
              new MqttFrames(
                  client ->
                      clients.open(
                          user, exchange.clientSocketAddress(), request.isSecure(), client),
                  scheduler);
          checkLater(call, frames, scheduler);
          return frames;
        };
    boolean upgraded = false;
    try {
      upgraded =
          new WebSocketMappings(components)
              .upgrade(
                  negotiator,
                  request,
                  exchange.response(),
                  exchange.callback(),
                  MqttUpgrade::limit);
    } catch (RuntimeException e) { // the client's headers are malformed
      LOG.debug("Refused a WebSocket handshake: {} peer={}", e, call.remoteAddress());
    }
    if (!upgraded) {
      exchange.send(
          HttpReply.text(HttpStatus.BAD_REQUEST_400, "the WebSocket handshake is malformed\n"));
    }
  }

  /** Extensions are not accepted: compression would cost memory for each client. */
  private static void acceptSubProtocol(ServerUpgradeResponse response) {
    response.setAcceptedSubProtocol(SUB_PROTOCOL);
    response.setExtensions(List.of());
  }

  /** MQTT has limits for the size of packets and for idle clients. */
  private static void limit(Configuration session) {
    session.setIdleTimeout(Duration.ZERO);
    session.setAutoFragment(true);
    session.setInputBufferSize(INPUT_BUFFER_BYTES);
    session.setMaxFrameSize(0);
  }

  private void checkLater(ApiCall call, MqttFrames frames, Scheduler scheduler) {
    scheduler.schedule(
        () -> check(call, frames, scheduler), CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void check(ApiCall call, MqttFrames frames, Scheduler scheduler) {
    if (frames.isClosed()) {
      return;
    }
    api.admit(call)
        .whenComplete(
            (result, failure) -> {
              if (result instanceof MqttAdmission.Refused refused && isFinal(refused.reply())) {
                frames.end("the login has ended");
              } else {
                checkLater(call, frames, scheduler);
              }
            });
  }

  /** Whether the credentials are no longer valid, rather than could not be checked. */
  private static boolean isFinal(HttpReply reply) {
    return reply.status() == HttpStatus.UNAUTHORIZED_401
        || reply.status() == HttpStatus.FORBIDDEN_403;
  }
}
