package io.fjordmq.broker.trace;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.bans.IpNetwork;
import io.fjordmq.broker.records.RecordException;
import io.fjordmq.broker.records.RecordException.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks the properties of new traces. */
final class TraceRules {
  private static final int MAX_VALUE_BYTES = 1_024;
  private static final int MAX_TENANT_CHARS = 256;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");
  private static final Duration DEFAULT_DURATION = Duration.ofMinutes(10);

  private TraceRules() {}

  /**
   * Returns the trace that a draft requests.
   *
   * @throws RecordException if the draft is invalid
   */
  static Trace accept(Trace.Draft draft, Caller caller, Instant now, TraceSettings settings) {
    require(
        NAME.matcher(draft.name()).matches(),
        "name must be 1 to 64 letters, digits, '-' or '_', and begin with a letter or digit");
    Instant start =
        draft.startAt() == null || draft.startAt().isBefore(now) ? now : draft.startAt();
    require(
        !start.isAfter(now.plus(settings.retention())),
        "start_at must be within traceConfig.retention (%d s) from now"
            .formatted(settings.retention().toSeconds()));
    Instant end = draft.endAt();
    if (end == null) {
      boolean fits = settings.maxDuration().compareTo(DEFAULT_DURATION) >= 0;
      end = start.plus(fits ? DEFAULT_DURATION : settings.maxDuration());
    }
    require(end.isAfter(start), "end_at must be later than the start (" + start + ")");
    require(
        !end.isAfter(start.plus(settings.maxDuration())),
        "end_at must be at most traceConfig.maxDuration (%d s) after the start"
            .formatted(settings.maxDuration().toSeconds()));
    return new Trace(
        draft.name(),
        draft.type(),
        canonical(draft.type(), draft.value()),
        tenantFor(caller, draft.tenant()),
        draft.payload(),
        caller.name(),
        now,
        start,
        end,
        draft.format());
  }

  /**
   * Returns the value in canonical notation.
   *
   * @throws RecordException if it is invalid
   */
  static String canonical(TraceType type, String value) {
    int bytes = value.getBytes(StandardCharsets.UTF_8).length;
    require(
        bytes >= 1 && bytes <= MAX_VALUE_BYTES,
        type.label() + " must be 1 to " + MAX_VALUE_BYTES + " bytes long in UTF-8, not " + bytes);
    return switch (type) {
      case CLIENTID -> value;
      case TOPIC -> filter(value).text();
      case IP_ADDRESS -> {
        IpNetwork network = network(value);
        if (network == null) {
          throw invalid(
              "ip_address must be an IP address or network such as 192.0.2.7 or 192.0.2.0/24");
        }
        yield value.indexOf('/') < 0 ? network.address() : network.toString();
      }
    };
  }

  private static TopicFilter filter(String value) {
    try {
      TopicFilter filter = TopicFilter.parse(value);
      require(!filter.isShared(), "topic must be a topic filter without $share");
      return filter;
    } catch (IllegalArgumentException e) {
      throw invalid("topic: " + e.getMessage());
    }
  }

  /** Parses an address or network; returns null if it is invalid. */
  static @Nullable IpNetwork network(String text) {
    return text.indexOf('/') < 0 ? IpNetwork.parseAddress(text) : IpNetwork.parseNetwork(text);
  }

  private static @Nullable String tenantFor(Caller caller, @Nullable String requested) {
    require(
        requested == null
            || (requested.length() <= MAX_TENANT_CHARS
                && requested.chars().noneMatch(Character::isISOControl)),
        "tenant must have at most " + MAX_TENANT_CHARS + " characters and no line breaks");
    String own = caller.tenant();
    require(
        own == null || requested == null || requested.equals(own),
        "tenant must be '" + own + "', the tenant of the caller");
    return own == null ? requested : own;
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
