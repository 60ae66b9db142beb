package io.fjordmq.auth.redis;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.Escaper;
import io.fjordmq.api.auth.Placeholder;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.Template;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A command with a key that can contain placeholders. The command is split before the values are
 * inserted, and Redis gets the length of each argument, so a name with spaces, quotes or line
 * breaks is still part of the key.
 *
 * @param fields the fields to read; empty for all
 */
record RedisCommand(Template key, List<String> fields) {

  /**
   * Reads the command.
   *
   * @param name the only command that is allowed
   */
  static RedisCommand of(ProviderSettings settings, String name, String defaultCommand) {
    String text = settings.text("command", defaultCommand);
    List<String> words = Stream.of(text.strip().split("\\s+", -1)).toList();
    boolean takesFields = name.equals("HMGET");
    if (!words.get(0).equalsIgnoreCase(name)
        || (takesFields ? words.size() < 3 : words.size() != 2)) {
      throw settings.invalid("command", "like '" + defaultCommand + "'", text);
    }
    Template key = settings.template("command", words.get(1), "cu");
    if (key.placeholders().stream().anyMatch(one -> isUnusable(one.kind()))) {
      throw settings.invalid(
          "command", "without placeholders for the password, the topic or the action", text);
    }
    return new RedisCommand(key, words.subList(2, words.size()));
  }

  private static boolean isUnusable(Placeholder.Kind kind) {
    return kind.ofAction() || kind == Placeholder.Kind.PASSWORD;
  }

  /** Returns the key for a client; null if the client has no value for a placeholder. */
  @Nullable String keyOf(ClientContext client) {
    String rendered = key.render(client, Escaper.NONE);
    return rendered == null || rendered.isEmpty() ? null : rendered;
  }
}
