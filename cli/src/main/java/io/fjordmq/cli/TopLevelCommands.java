package io.fjordmq.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;

/** The commands of the first level, in the order of the help. */
final class TopLevelCommands {
  private final Map<String, Supplier<Object>> commands = new LinkedHashMap<>();

  private TopLevelCommands() {}

  /**
   * @param line all commands, for completion
   */
  static TopLevelCommands of(CommandContext context, CommandLine line) {
    TopLevelCommands all = new TopLevelCommands();
    all.commands.put("status", () -> new StatusCommand(context));
    all.commands.put("cluster", () -> new ClusterCommand(context));
    all.commands.put("ranges", () -> new RangesCommand(context));
    all.commands.put("voters", () -> new VotersCommand(context));
    all.commands.put("backup", () -> new BackupCommand(context));
    all.commands.put("restore", () -> new RestoreCommand(context));
    all.commands.put("recover", () -> new RecoverCommand(context));
    all.commands.put("export", () -> new ExportCommand(context));
    all.commands.put("alarms", () -> new AlarmsCommand(context));
    all.commands.put("listeners", () -> new ListenersCommand(context));
    all.commands.put("config", () -> new ConfigCommand(context));
    all.commands.put("check", () -> new CheckCommand(context));
    all.commands.put("doctor", () -> new DoctorCommand(context));
    all.commands.put("size", () -> new SizeCommand(context));
    all.commands.put("import", () -> new ImportCommand(context));
    all.commands.put("plugins", () -> new PluginsCommand(context));
    all.commands.put("auth", () -> new AuthCommand(context));
    all.commands.put("clients", () -> new ClientsCommand(context));
    all.commands.put("why", () -> new WhyCommand(context));
    all.commands.put("trace", () -> new TraceCommand(context));
    all.commands.put("subscriptions", () -> new SubscriptionsCommand(context));
    all.commands.put("topics", () -> new TopicsCommand(context));
    all.commands.put("retained", () -> new RetainedCommand(context));
    all.commands.put("publish", () -> new PublishCommand(context));
    all.commands.put("mqtt-users", () -> new MqttUsersCommand(context));
    all.commands.put("mqtt-rules", () -> new MqttRulesCommand(context));
    all.commands.put("ban", () -> new BanCommand(context));
    all.commands.put("slow-subscriptions", () -> new SlowSubscriptionsCommand(context));
    all.commands.put("topic-metrics", () -> new TopicMetricsCommand(context));
    all.commands.put("log", () -> new LogCommand(context));
    all.commands.put("users", () -> new UsersCommand(context));
    all.commands.put("api-keys", () -> new ApiKeysCommand(context));
    all.commands.put("audit", () -> new AuditCommand(context));
    all.commands.put(CompletionCommand.NAME, () -> new CompletionCommand(line, context.terminal()));
    return all;
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
