package io.fjordmq.broker.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.fjordmq.broker.accounts.seeded.AccountsThatKnowHttp;
import io.fjordmq.broker.bans.seeded.BansThatKnowSessions;
import io.fjordmq.broker.delivery.seeded.DeliveryThatKnowsSessions;
import io.fjordmq.broker.dispatch.seeded.MailboxThatKnowsNodes;
import io.fjordmq.broker.events.seeded.EventThatKnowsSessions;
import io.fjordmq.broker.house.violation.FrontThatKnowsCommands;
import io.fjordmq.broker.house.violation.HelpfulManager;
import io.fjordmq.broker.house.violation.LibraryLeak;
import io.fjordmq.broker.http.seeded.PageThatKnowsSessions;
import io.fjordmq.broker.limits.seeded.QuotaThatKnowsThePath;
import io.fjordmq.broker.logging.seeded.LogThatKnowsSessions;
import io.fjordmq.broker.net.seeded.ListenerThatKnowsTooMuch;
import io.fjordmq.broker.protocol.seeded.PacketThatKnowsSessions;
import io.fjordmq.broker.query.seeded.QueryThatKnowsHttp;
import io.fjordmq.broker.records.seeded.RecordsThatKnowAccounts;
import io.fjordmq.broker.rest.seeded.ResourceThatKnowsTooMuch;
import io.fjordmq.broker.revocation.seeded.RevocationThatKnowsSessions;
import io.fjordmq.broker.session.seeded.BlockingSession;
import io.fjordmq.broker.settings.seeded.SettingsThatKnowSessions;
import io.fjordmq.broker.slow.seeded.LatencyThatKnowsSessions;
import io.fjordmq.broker.telemetry.seeded.TracerThatKnowsSessions;
import io.fjordmq.broker.topicmetrics.seeded.CounterThatKnowsSessions;
import io.fjordmq.broker.trace.seeded.TraceThatKnowsSessions;
import io.fjordmq.broker.training.seeded.LoadThatKnowsSessions;
import io.fjordmq.broker.userdb.seeded.UsersThatKnowSessions;
import io.fjordmq.cluster.consensus.log.seeded.LogThatKnowsReplicas;
import io.fjordmq.cluster.consensus.seeded.PortThatKnowsItsAdapter;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.seeded.ImpureCoprocessor;
import io.fjordmq.inbox.seeded.StoreThatKnowsItsClient;
import io.fjordmq.range.seeded.EngineThatKnowsMqtt;
import io.fjordmq.range.seededtwo.OtherHalfOfACycle;
import io.fjordmq.retain.seeded.ImpureCommand;
import io.fjordmq.router.seeded.RouterThatKnowsInboxes;
import io.fjordmq.testing.architecture.ModuleRules;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every class of the broker follows the architecture rules. The modules that the broker does not
 * depend on ({@code auth-providers}, {@code cli} and {@code perf}) have an ArchitectureTest of
 * their own; {@code object-storage} is too small for one.
 */
class ArchitectureTest {
  private static final JavaClasses MAIN = ModuleRules.mainClasses("io.fjordmq");

  /**
   * The violations of all rules, imported together because each import resolves their dependencies.
   */
  private static final JavaClasses VIOLATIONS =
      new ClassFileImporter()
          .importClasses(rules().flatMap(rule -> Stream.of(rule.violation)).distinct().toList());

  /** A rule and classes that break it on purpose; the report must name the first one. */
  private record Rule(ArchRule rule, Class<?>... violation) {
    @Override
    public String toString() {
      return rule.getDescription();
    }
  }

  static Stream<Rule> rules() {
    return Stream.of(
        new Rule(HouseRules.layers(), RouterThatKnowsInboxes.class, InboxId.class),
        new Rule(HouseRules.engineKnowsNoMqtt(), EngineThatKnowsMqtt.class),
        new Rule(HouseRules.testSupportStaysInTests(), LibraryLeak.class),
        new Rule(HouseRules.raftLibraryStaysInConsensus(), LibraryLeak.class),
        new Rule(HouseRules.consensusPortKnowsNoAdapter(), PortThatKnowsItsAdapter.class),
        new Rule(HouseRules.logAndTransportKnowNoAdapter(), LogThatKnowsReplicas.class),
        new Rule(HouseRules.rocksStaysBehindItsPorts(), HelpfulManager.class),
        new Rule(HouseRules.nettyStaysAtTheEdges(), EngineThatKnowsMqtt.class),
        new Rule(HouseRules.grpcStaysInThePort(), LibraryLeak.class),
        new Rule(HouseRules.openTelemetryStaysInOtlp(), LibraryLeak.class),
        new Rule(HouseRules.jettyStaysBehindTheHttpPort(), LibraryLeak.class),
        new Rule(HouseRules.jacksonStaysInRest(), LibraryLeak.class),
        new Rule(HouseRules.restKnowsOnlyPorts(), ResourceThatKnowsTooMuch.class),
        new Rule(
            HouseRules.boundary(
                "rest",
                "http",
                "accounts",
                "admin",
                "userdb",
                "backup",
                "bans",
                "records",
                "config",
                "providers",
                "ops",
                "net",
                "query",
                "events",
                "logging",
                "trace",
                "alarms",
                "monitor",
                "slow",
                "topicmetrics",
                "settings",
                "drain",
                "security"),
            ResourceThatKnowsTooMuch.class),
        new Rule(HouseRules.boundary("http", "net"), PageThatKnowsSessions.class),
        new Rule(
            HouseRules.replicatedCodeIsPure(),
            ImpureCoprocessor.HOST_CLOCK,
            ImpureCoprocessor.class),
        new Rule(HouseRules.replicatedCodeIsPure(), ImpureCommand.class),
        new Rule(HouseRules.storesKnowNoClient(), StoreThatKnowsItsClient.class),
        new Rule(HouseRules.formatsStayInTheirStore(), FrontThatKnowsCommands.class),
        new Rule(HouseRules.nothingBlocksOnAnEventLoop(), BlockingSession.class),
        new Rule(HouseRules.configurationHasOneReader(), HelpfulManager.class),
        new Rule(HouseRules.noMutableStatics(), HelpfulManager.class),
        new Rule(ModuleRules.loggersAreCalledLog(), LibraryLeak.class),
        new Rule(ModuleRules.namesAreSpecific(), HelpfulManager.class),
        new Rule(HouseRules.noCycles("range"), EngineThatKnowsMqtt.class, OtherHalfOfACycle.class),
        new Rule(HouseRules.noCycles("cluster")),
        new Rule(HouseRules.noCycles("broker")),
        new Rule(HouseRules.noLargeClassCycles()), // its violation is in ClassCyclesTest
        new Rule(HouseRules.partsKnowNoRoot(), ListenerThatKnowsTooMuch.class),
        new Rule(HouseRules.boundary("limits"), QuotaThatKnowsThePath.class),
        new Rule(
            HouseRules.boundary("accounts", "records", "security", "limits"),
            AccountsThatKnowHttp.class),
        new Rule(
            HouseRules.boundary("userdb", "accounts", "records", "security", "limits"),
            UsersThatKnowSessions.class),
        new Rule(HouseRules.boundary("bans", "accounts", "records"), BansThatKnowSessions.class),
        new Rule(
            HouseRules.boundary("revocation", "providers", "limits"),
            RevocationThatKnowsSessions.class),
        new Rule(HouseRules.boundary("records"), RecordsThatKnowAccounts.class),
        new Rule(
            HouseRules.boundary("settings", "config", "records"), SettingsThatKnowSessions.class),
        new Rule(HouseRules.boundary("events"), EventThatKnowsSessions.class),
        new Rule(HouseRules.boundary("logging"), LogThatKnowsSessions.class),
        new Rule(
            HouseRules.boundary("telemetry", "logging", "limits"), TracerThatKnowsSessions.class),
        new Rule(
            HouseRules.boundary("trace", "accounts", "bans", "records", "protocol", "events"),
            TraceThatKnowsSessions.class),
        new Rule(HouseRules.boundary("slow"), LatencyThatKnowsSessions.class),
        new Rule(HouseRules.boundary("topicmetrics", "records"), CounterThatKnowsSessions.class),
        new Rule(HouseRules.boundary("training"), LoadThatKnowsSessions.class),
        new Rule(
            HouseRules.boundary("protocol", "limits", "dispatch"), PacketThatKnowsSessions.class),
        new Rule(HouseRules.boundary("net", "protocol", "limits"), ListenerThatKnowsTooMuch.class),
        new Rule(HouseRules.boundary("dispatch", "limits"), MailboxThatKnowsNodes.class),
        new Rule(HouseRules.dispatchIsLocal(), MailboxThatKnowsNodes.class),
        new Rule(
            HouseRules.boundary(
                "delivery",
                "dispatch",
                "nodes",
                "limits",
                "events",
                "telemetry",
                "trace",
                "topicmetrics"),
            DeliveryThatKnowsSessions.class),
        new Rule(
            HouseRules.boundary(
                "session",
                "protocol",
                "dispatch",
                "delivery",
                "security",
                "bans",
                "limits",
                "events",
                "logging",
                "telemetry",
                "trace",
                "slow",
                "topicmetrics"),
            BlockingSession.class),
        new Rule(
            HouseRules.boundary(
                "query",
                "session",
                "delivery",
                "dispatch",
                "limits",
                "slow",
                "topicmetrics",
                "telemetry"),
            QueryThatKnowsHttp.class));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldFollowTheRule(Rule checked) {
    checked.rule.check(MAIN);
  }

  /** The rule about cycles exists once for each module and needs one violation. */
  static Stream<Rule> rulesWithViolation() {
    return rules().filter(rule -> rule.violation.length > 0);
  }

  @ParameterizedTest
  @MethodSource("rulesWithViolation")
  void shouldDetectItsSeededViolation(Rule checked) {
    List<Class<?>> violation = List.of(checked.violation);
    JavaClasses seeded =
        VIOLATIONS.that(
            DescribedPredicate.describe(
                "are seeded for this rule",
                seededClass -> violation.stream().anyMatch(seededClass::isEquivalentTo)));
    assertThat(seeded).hasSameSizeAs(violation);
    assertThat(checked.rule.evaluate(seeded).getFailureReport().toString())
        .contains(checked.violation[0].getSimpleName());
  }

  @Test
  void shouldCheckEveryModule() {
    for (String module :
        new String[] {"api", "cluster", "range", "router", "inbox", "retain", "broker"}) {
      assertThat(MAIN.stream().filter(c -> c.getPackageName().startsWith("io.fjordmq." + module)))
          .as("classes of %s that the rules look at", module)
          .hasSizeGreaterThan(3);
    }
  }
}
