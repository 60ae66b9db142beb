package io.fjordmq.broker.mosquitto;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/** How a directive is converted. */
@FunctionalInterface
interface Rule {
  void apply(ConfigDraft draft, ConfLine line);

  /** The directive has no counterpart. */
  static Rule omit(String reason) {
    return (draft, line) -> draft.omit(line, reason);
  }

  /** The directive has no counterpart, unless its value matches the behavior of FjordMQ. */
  static Rule omitUnless(String value, String reason) {
    return (draft, line) -> {
      if (!line.value().equalsIgnoreCase(value)) {
        draft.omit(line, reason);
      }
    };
  }

  /** A file or another text that becomes the value of a key. */
  static Rule text(String key) {
    return (draft, line) -> {
      if (draft.isFirst(line)) {
        draft.settings.put(key, YamlWriter.text(line.value()));
      }
    };
  }

  /** A key of the current listener. */
  static Rule ofListener(BiConsumer<ConfigDraft.Listener, String> change) {
    return (draft, line) -> change.accept(draft.listener(), line.value());
  }

  /** A whole number within a range that becomes the value of keys. */
  static Rule number(long min, long max, String... keys) {
    return withSpecial(Map.of(), min, max, keys);
  }

  /**
   * A whole number that becomes the value of keys. Values outside of the range are replaced by its
   * nearest end.
   *
   * @param special what special values mean; empty if they are FjordMQ's default
   */
  static Rule withSpecial(Map<String, String> special, long min, long max, String... keys) {
    return (draft, line) -> {
      String meaning = special.get(line.value());
      if (meaning != null) {
        if (!meaning.isEmpty()) {
          draft.omit(line, meaning);
        }
        return;
      }
      long value;
      try {
        value = Long.parseLong(line.value());
      } catch (NumberFormatException e) {
        draft.omit(line, "the value is not a number");
        return;
      }
      if (!draft.isFirst(line)) {
        return;
      }
      long allowed = Math.max(min, Math.min(max, value));
      if (allowed != value) {
        draft.remark(line, "set to %d; FjordMQ allows %d to %d here".formatted(allowed, min, max));
      }
      List.of(keys).forEach(key -> draft.settings.put(key, Long.toString(allowed)));
    };
  }

  /** Whether a value is true; reports values that are neither true nor false. */
  static boolean flag(ConfigDraft draft, ConfLine line) {
    return switch (line.value().toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> {
        draft.omit(line, "the value is neither true nor false");
        yield false;
      }
    };
  }
}
