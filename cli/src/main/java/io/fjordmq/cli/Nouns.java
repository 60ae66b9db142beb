package io.fjordmq.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;

/** The commands of the first level, in the order of the help. */
final class Nouns {
  private final Map<String, Supplier<Object>> commands = new LinkedHashMap<>();

  private Nouns() {}

  /**
   * @param line all commands, for completion
   */
  static Nouns of(CommandContext context, CommandLine line) {
    Nouns nouns = new Nouns();
    nouns.commands.put("status", () -> new StatusCommand(context));
    nouns.commands.put("cluster", () -> new ClusterCommand(context));
    nouns.commands.put("ranges", () -> new RangesCommand(context));
    nouns.commands.put("voters", () -> new VotersCommand(context));
    nouns.commands.put("listeners", () -> new ListenersCommand(context));
    nouns.commands.put("clients", () -> new ClientsCommand(context));
    nouns.commands.put("why", () -> new WhyCommand(context));
    nouns.commands.put("subscriptions", () -> new SubscriptionsCommand(context));
    nouns.commands.put("topics", () -> new TopicsCommand(context));
    nouns.commands.put("retained", () -> new RetainedCommand(context));
    nouns.commands.put("publish", () -> new PublishCommand(context));
    nouns.commands.put("ban", () -> new BanCommand(context));
    nouns.commands.put("users", () -> new UsersCommand(context));
    nouns.commands.put("api-keys", () -> new ApiKeysCommand(context));
    nouns.commands.put("audit", () -> new AuditCommand(context));
    nouns.commands.put(
        CompletionCommand.NAME, () -> new CompletionCommand(line, context.terminal()));
    return nouns;
  }

  /**
   * Returns the commands that a command line may name, because creating all of them takes 100 ms.
   * If it names none, or completion needs them, returns all.
   */
  Stream<Object> among(List<String> words) {
    Set<String> all = commands.keySet();
    boolean needsAll =
        words.contains(CompletionCommand.NAME) || words.stream().noneMatch(all::contains);
    return commands.entrySet().stream()
        .filter(noun -> needsAll || words.contains(noun.getKey()))
        .map(noun -> noun.getValue().get());
  }
}
