package io.fjordmq.broker.session;

import io.fjordmq.broker.logging.LogLevels;
import io.fjordmq.broker.logging.QuotedText;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Peer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line to the log for each client that connects or disconnects. Off unless {@code
 * logConfig.clientConnections} or an operator has set the level of its logger.
 */
final class ClientLog {
  private static final Logger LOG = LoggerFactory.getLogger(LogLevels.CLIENTS);

  /** As in traces: short enough to cut the signature off a token that is used as user name. */
  private static final int MAX_USER_NAME_CHARS = 128;

  private ClientLog() {}

  static void connected(SessionHistory.Client client, boolean sessionPresent) {
    if (!LOG.isInfoEnabled()) {
      return;
    }
    ConnectRequest request = client.request();
    Peer peer = client.peer();
    LOG.info(
        "Client connected client={} user={} tenant={} address={} listener={} protocol={} clean={}"
            + " sessionPresent={} keepAliveSeconds={} sessionExpirySeconds={}",
        new QuotedText(client.clientId()),
        user(client),
        new QuotedText(client.tenant()),
        peer.displayName(),
        peer.listener(),
        version(request.protocolLevel()),
        request.cleanStart(),
        sessionPresent,
        request.keepAliveSeconds(),
        request.expirySeconds());
  }

  /**
   * @param connectedMillis how long the client was connected
   */
  static void disconnected(
      SessionHistory.Client client, CloseReason reason, String detail, long connectedMillis) {
    if (!LOG.isInfoEnabled()) {
      return;
    }
    LOG.info(
        "Client disconnected client={} user={} tenant={} address={} reason={} code={} detail={}"
            + " connectedSeconds={}",
        new QuotedText(client.clientId()),
        user(client),
        new QuotedText(client.tenant()),
        client.peer().displayName(),
        reason.label(),
        reason.reasonCode() < 0 ? "-" : String.format(Locale.ROOT, "0x%02X", reason.reasonCode()),
        new QuotedText(detail),
        TimeUnit.MILLISECONDS.toSeconds(connectedMillis));
  }

  private static QuotedText user(SessionHistory.Client client) {
    String name = client.access().client().userName();
    return new QuotedText(name == null ? "" : shortened(name));
  }

  static String shortened(String userName) {
    return userName.length() <= MAX_USER_NAME_CHARS
        ? userName
        : userName.substring(0, MAX_USER_NAME_CHARS) + "...";
  }

  private static String version(int protocolLevel) {
    return switch (protocolLevel) {
      case 3 -> "3.1";
      case 4 -> "3.1.1";
      default -> "5";
    };
  }
}
