package io.fjordmq.cli;

import java.util.List;

/** The commands of the first level, in the order of the help. */
final class Nouns {
  private Nouns() {}

  static List<Object> of(CommandContext context) {
    return List.of(
        new StatusCommand(context),
        new ClusterCommand(context),
        new RangesCommand(context),
        new VotersCommand(context),
        new ListenersCommand(context),
        new ClientsCommand(context),
        new WhyCommand(context),
        new SubscriptionsCommand(context),
        new TopicsCommand(context),
        new RetainedCommand(context),
        new PublishCommand(context),
        new BanCommand(context),
        new UsersCommand(context),
        new ApiKeysCommand(context),
        new AuditCommand(context));
  }
}
