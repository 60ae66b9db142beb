package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** The number of voters of the ranges of each store. */
@Command(
    name = "voters",
    description = {
      "Show or set the number of voters per range of each store",
      "Without arguments, print the current numbers."
    })
final class VotersCommand implements Callable<Integer> {
  private static final ApiPath PATH = ApiPath.of("voters");

  private final CommandContext context;

  @Parameters(
      arity = "0..*",
      paramLabel = "STORE=COUNT",
      description = "number of voters of the store dist, inbox or retain")
  private List<String> counts = List.of();

  @Mixin private final JsonOption json = new JsonOption();

  VotersCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    ObjectNode body = Json.object();
    for (String word : counts) {
      String[] parts = word.split("=", -1);
      if (parts.length != 2 || !parts[1].matches("[0-9]{1,3}")) {
        throw new UsageException(
            "invalid voter count '" + word + "': expected STORE=NUMBER, such as inbox=5");
      }
      body.put(parts[0], Integer.parseInt(parts[1]));
    }
    ApiReply reply = counts.isEmpty() ? context.api().get(PATH) : context.api().put(PATH, body);
    return context.show(reply, json);
  }
}
