package io.fjordmq.broker.query;

import io.fjordmq.broker.query.QueryException.Kind;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Encodes positions in lists of sessions as texts. Every text of the form is a position, though
 * perhaps not one of a session.
 */
public final class Cursors {
  /**
   * The format of positions: the bucket in decimal digits, then tenant, client identifier and
   * filter as {@link CursorText}.
   */
  public static final String PATTERN = "[0-9]{1,4}(?:\\.[A-Za-z0-9_-]*){3}";

  private static final Pattern PARTS =
      Pattern.compile("([0-9]{1,4})\\.([A-Za-z0-9_-]*)\\.([A-Za-z0-9_-]*)\\.([A-Za-z0-9_-]*)");

  private Cursors() {}

  /** Returns the text of a position. */
  static String encode(SessionPosition position) {
    return encode(new SubscriptionPosition(position, ""));
  }

  /** Returns the text of a position. */
  static String encode(SubscriptionPosition position) {
    SessionPosition session = position.session();
    return String.join(
        ".",
        Integer.toString(session.bucket()),
        CursorText.of(session.tenant()),
        CursorText.of(session.clientId()),
        CursorText.of(position.filter()));
  }

  /**
   * Returns the position of a text in a list of clients.
   *
   * @throws QueryException if the text does not match {@link #PATTERN}
   */
  static SessionPosition decode(String text) {
    return decodeSubscription(text).session();
  }

  /**
   * Returns the position of a text in a list of subscriptions.
   *
   * @throws QueryException if the text does not match {@link #PATTERN}
   */
  static SubscriptionPosition decodeSubscription(String text) {
    Matcher parts = PARTS.matcher(text);
    if (!parts.matches()) {
      throw new QueryException(
          Kind.INVALID, "cursor: not valid; use meta.cursor of the previous page");
    }
    int bucket = Integer.parseInt(parts.group(1));
    return bucket >= InboxId.BUCKETS
        ? SubscriptionPosition.END
        : new SubscriptionPosition(
            new SessionPosition(
                bucket, CursorText.text(parts.group(2)), CursorText.text(parts.group(3))),
            CursorText.text(parts.group(4)));
  }
}
