package io.fjordmq.broker.bans;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Checks the values of bans. */
final class BanRules {
  /** Every change of the metadata copies the map of all records, so there must not be too many. */
  static final int MAX_BANS = 2_000;

  static final int MAX_VALUE_BYTES = 1_024;
  private static final int MAX_TEXT_LENGTH = 256;
  private static final Instant END_OF_TIME = Instant.parse("9999-12-31T23:59:59Z");

  private BanRules() {}

  /**
   * Returns the value in canonical notation.
   *
   * @throws RecordException if it is invalid
   */
  static String canonical(BanKind kind, String value) {
    int bytes = value.getBytes(StandardCharsets.UTF_8).length;
    require(
        bytes >= 1 && bytes <= MAX_VALUE_BYTES,
        "who must be 1 to " + MAX_VALUE_BYTES + " bytes long in UTF-8, not " + bytes);
    return switch (kind) {
      case CLIENTID, USERNAME -> value;
      case PEERHOST -> {
        IpNetwork address = IpNetwork.parseAddress(value);
        if (address == null) {
          throw invalid(
              "who must be an IP address such as 192.0.2.7 or 2001:db8::7, not '" + value + "'");
        }
        yield address.address();
      }
      case PEERHOST_NET -> {
        IpNetwork network = IpNetwork.parseNetwork(value);
        if (network == null) {
          throw invalid(
              "who must be a network such as 192.0.2.0/24 or 2001:db8::/32, not '" + value + "'");
        }
        yield network.toString();
      }
    };
  }

  static String text(String field, String text) {
    require(
        text.length() <= MAX_TEXT_LENGTH && text.chars().noneMatch(Character::isISOControl),
        field + " must have at most " + MAX_TEXT_LENGTH + " characters and no line breaks");
    return text;
  }

  /**
   * Returns the tenant of a ban that the caller names.
   *
   * @throws RecordException if the caller is bound to another tenant
   */
  static @Nullable String tenantFor(Caller caller, @Nullable String requested) {
    if (requested != null) { // empty: the default tenant
      text("tenant", requested);
    }
    String own = caller.tenant();
    require(
        own == null || requested == null || requested.equals(own),
        "tenant must be '" + own + "', the tenant of the caller");
    return own == null ? requested : own;
  }

  /** Returns when a ban was created: clocks of callers may be ahead of cluster time. */
  static Instant creation(@Nullable Instant requested, Instant now) {
    Instant at = requested == null || requested.isAfter(now) ? now : requested;
    return at.isBefore(Instant.EPOCH) ? Instant.EPOCH : at;
  }

  static @Nullable Instant end(@Nullable Instant until, Instant now) {
    require(
        until == null || until.isAfter(now),
        "until must be later than now (" + now + "), not " + until);
    return until != null && until.isAfter(END_OF_TIME) ? END_OF_TIME : until;
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw invalid(message);
    }
  }

  private static RecordException invalid(String message) {
    return new RecordException(Kind.INVALID, message);
  }
}
