package io.fjordmq.broker.session;

import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.ConnectOptions;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;

/** Converts a CONNECT to the type that authenticators receive, and refusals to close reasons. */
final class ConnectAttempts {
  private ConnectAttempts() {}

  static ConnectAttempt of(ConnectRequest request, Peer peer) {
    return new ConnectAttempt(
        peer.listener(),
        peer.address(),
        peer.encrypted(),
        peer.certificate(),
        request.protocolLevel(),
        request.clientId(),
        request.userName(),
        request.password(),
        new ConnectOptions(
            request.cleanStart(),
            request.requestedKeepAliveSeconds(),
            request.requestedExpirySeconds(),
            request.userProperties(),
            request.will()));
  }

  static CloseReason closeReasonOf(Refusal refusal) {
    return switch (refusal) {
      case BAD_USER_NAME_OR_PASSWORD -> CloseReason.BAD_USER_NAME_OR_PASSWORD;
      case NOT_AUTHORIZED -> CloseReason.NOT_AUTHORIZED;
      case SERVER_UNAVAILABLE -> CloseReason.SERVER_UNAVAILABLE;
      case SERVER_BUSY -> CloseReason.SERVER_BUSY;
      case BANNED -> CloseReason.BANNED;
      case BAD_AUTHENTICATION_METHOD -> CloseReason.BAD_AUTHENTICATION_METHOD;
      case CONNECTION_RATE_EXCEEDED -> CloseReason.CONNECTION_RATE_EXCEEDED;
      case CLIENT_IDENTIFIER_NOT_VALID -> CloseReason.CLIENT_IDENTIFIER_NOT_VALID;
      case QUOTA_EXCEEDED -> CloseReason.QUOTA_EXCEEDED;
      case USE_ANOTHER_SERVER -> CloseReason.USE_ANOTHER_SERVER;
    };
  }
}
