package io.fjordmq.broker.query;

import io.fjordmq.broker.query.QueryException.Kind;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.inbox.SessionPosition;
import java.util.Base64;

/** Encodes positions in lists as opaque texts. */
final class Cursors {
  /*
   * Base64 for URLs, without padding:
   *
   *   1  version 1
   *   .. position of a session, s filter
   */
  private static final int VERSION = 1;

  private Cursors() {}

  /** Returns the text of a position. */
  static String encode(SessionPosition position) {
    return encode(new SubscriptionPosition(position, ""));
  }

  /** Returns the text of a position. */
  static String encode(SubscriptionPosition position) {
    ByteWriter out = new ByteWriter(64).writeByte(VERSION);
    position.session().write(out);
    out.writeString(position.filter());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(out.toByteArray());
  }

  /**
   * Returns the position of a text in a list of clients.
   *
   * @throws QueryException if it is not a text that {@link #encode} has returned
   */
  static SessionPosition decode(String text) {
    return decodeSubscription(text).session();
  }

  /**
   * Returns the position of a text in a list of subscriptions.
   *
   * @throws QueryException if it is not a text that {@link #encode} has returned
   */
  static SubscriptionPosition decodeSubscription(String text) {
    try {
      ByteReader in = new ByteReader(Base64.getUrlDecoder().decode(text));
      if (in.readByte() != VERSION) {
        throw new QueryException(Kind.INVALID, "cursor: not valid for this version of FjordMQ");
      }
      SubscriptionPosition position =
          new SubscriptionPosition(SessionPosition.read(in), in.readString());
      in.requireEnd();
      return position;
    } catch (IllegalArgumentException | MalformedBytesException e) {
      throw new QueryException(
          Kind.INVALID, "cursor: not valid; use meta.cursor of the previous page");
    }
  }
}
