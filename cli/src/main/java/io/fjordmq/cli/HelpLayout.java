package io.fjordmq.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The layout of {@code --help}. */
final class HelpLayout {
  private static final int WIDTH = 100;
  private static final String ACCESS =
      "%nThe options -c, -d, --url, --api-key and --cacert choose the node; see 'fjordmq --help'.%n";

  private HelpLayout() {}

  /** Applies the layout to a command and all commands below it. */
  static void apply(CommandLine line) {
    line.getCommandSpec()
        .usageMessage()
        .width(WIDTH)
        .sortOptions(false)
        .abbreviateSynopsis(true)
        .descriptionHeading("%n")
        .parameterListHeading("%nArguments:%n")
        .optionListHeading("%nOptions:%n")
        .commandListHeading("%nCommands:%n");
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, HelpLayout::options);
    line.getHelpSectionMap()
        .put(UsageMessageSpec.SECTION_KEY_FOOTER, help -> help.footer() + ACCESS.formatted());
    line.getSubcommands().values().forEach(HelpLayout::apply);
  }

  /** Lists the options of a command, but not those that every command accepts. */
  private static String options(Help help) {
    List<OptionSpec> own =
        help.commandSpec().options().stream()
            .filter(option -> !option.inherited() || option.usageHelp())
            .toList();
    return help.optionListExcludingGroups(own);
  }
}
