package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.system.MethodEntries.Entry;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records the classes whose methods the event loop of a publisher runs from a QoS 1 PUBLISH to its
 * PUBACK, and compares them with the list in docs/ARCHITECTURE.md. The message goes to a persistent
 * session whose client is connected on another event loop.
 */
@Tag("slow")
class PublishPathTest {
  private static final String ROOT = "io.fjordmq.";
  private static final String TOPIC = "site/1/temperature";
  private static final String FILTER = "site/+/temperature";
  private static final int WARM_UP = 200;
  private static final int RECORDED = 5;

  /** Run by an event loop between any two tasks. */
  private static final Set<String> BACKGROUND =
      Set.of("io.fjordmq.common.net.EventLoops", "io.fjordmq.broker.limits.LoopLag");

  private static final Pattern PACKAGE = Pattern.compile("- `([a-z.]+)`:([^-]*)");
  private static final Pattern TOTALS =
      Pattern.compile(
          "of (\\d+) classes in (\\d+)\\s+packages.* returns about (\\d+) times", Pattern.DOTALL);

  /** Classes of different tasks of a turn are first used in either order. */
  private static final int RETURNS_TOLERANCE = 3;

  @TempDir Path directory;

  @Test
  void shouldRunTheClassesThatAreDocumented() throws Exception {
    List<String> measured = measure();
    String section = documented();
    Map<String, Set<String>> expected = new TreeMap<>();
    for (MatchResult line : PACKAGE.matcher(section).results().toList()) {
      Set<String> names = new TreeSet<>(List.of(line.group(2).strip().split("[,\\s]+")));
      expected.put(line.group(1), names);
    }
    assertThat(byPackage(measured)).as(String.join("\n", measured)).isEqualTo(expected);
    Matcher totals = TOTALS.matcher(section);
    assertThat(totals.find()).as("totals in ARCHITECTURE.md").isTrue();
    assertThat(List.of(totals.group(1), totals.group(2)))
        .as("classes, packages")
        .containsExactly(String.valueOf(measured.size()), String.valueOf(expected.size()));
    assertThat(returns(measured))
        .as("returns to a package")
        .isCloseTo(Integer.parseInt(totals.group(3)), Assertions.within(RETURNS_TOLERANCE));
  }

  private static String documented() throws IOException {
    String page = Files.readString(BrokerCommand.home().resolve("docs/ARCHITECTURE.md"));
    String section = page.substring(page.indexOf("## Reference: classes on the path"));
    return section.substring(0, section.indexOf("\n["));
  }

  /** Returns the full names in the order of their first use, as most of the publishes ran them. */
  private List<String> measure() throws Exception {
    NodeFile file = NodeFile.standalone("");
    Path output = directory.resolve("output.log");
    Path configuration = Files.writeString(directory.resolve("standalone.yml"), file.text());
    int port = FreePorts.one();
    List<String> options = new ArrayList<>(MethodEntries.options(port));
    options.addAll(SharedClasses.options());
    Process node =
        new BrokerCommand(List.of(), "INFO", configuration, List.of(directory.resolve("node")))
            .start(output, Map.of("FJORDMQ_MQTTSERVERCONFIG__WORKERTHREADS", "2"), options);
    try {
      Await.until("a node that is ready", () -> SharedClasses.isReady(output));
      return measure(new SharedBroker.Port(file.mqtt()), port);
    } finally {
      node.destroy();
      node.waitFor();
    }
  }

  private static List<String> measure(SharedBroker.Port mqtt, int jdwp) {
    Map<String, Integer> uses = new LinkedHashMap<>();
    try (RawClient subscriber = new RawClient(mqtt);
        RawClient publisher = RawClient.openConnected(mqtt, 5, "publisher", 600)) {
      subscriber.send("1015 00044d515454 05 00 0258 05 1100000e10 0003 737562");
      assertThat(subscriber.next()).startsWith("20");
      subscriber.send("8218 0001 00 " + text(FILTER) + " 01");
      assertThat(subscriber.next()).startsWith("90");
      for (int i = 1; i <= WARM_UP; i++) {
        publish(publisher, subscriber, i);
      }
      try (MethodEntries entries = new MethodEntries(jdwp)) {
        for (int i = 1; i <= RECORDED; i++) {
          int identifier = WARM_UP + i;
          List<Entry> recorded =
              entries.during(
                  () -> publish(publisher, subscriber, identifier), all -> !path(all).isEmpty());
          new ArrayList<>(path(recorded)).forEach(type -> uses.merge(type, 1, Integer::sum));
        }
      }
    }
    return uses.keySet().stream()
        .filter(type -> uses.getOrDefault(type, 0) > RECORDED / 2)
        .toList();
  }

  /** Publishes, and settles the message on both connections. */
  private static void publish(RawClient publisher, RawClient subscriber, int identifier) {
    publisher.send("321c %s %04x 00 68656c6c6f".formatted(text(TOPIC), identifier));
    assertThat(publisher.next()).startsWith("40");
    String delivered = subscriber.next();
    assertThat(delivered).startsWith("32");
    subscriber.send("4002" + delivered.substring(4 + text(TOPIC).length()).substring(0, 4));
  }

  private static String text(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    return "%04x".formatted(bytes.length) + HexFormat.of().formatHex(bytes);
  }

  /** Returns the classes up to the PUBACK, in the order of first use; empty if it is missing. */
  private static Set<String> path(List<Entry> entries) {
    String loop =
        entries.stream()
            .filter(e -> e.type().endsWith(".InboundPublishes") && e.method().equals("onPublish"))
            .map(Entry::thread)
            .findFirst()
            .orElse("");
    Map<String, Integer> types = new LinkedHashMap<>();
    boolean began = false;
    for (Entry entry : entries) {
      if (!entry.thread().equals(loop)) {
        continue;
      }
      began |= entry.type().endsWith(".PacketFramer");
      String type = entry.type().replaceFirst("\\$.*", "");
      boolean generated = entry.type().contains("$$Lambda"); // its body is a method of the class
      if (began && !generated && !BACKGROUND.contains(type)) {
        types.putIfAbsent(type, types.size());
      }
      if (type.endsWith(".SessionMeters") && entry.method().equals("onWritten")) {
        return types.keySet();
      }
    }
    return Set.of();
  }

  private static Map<String, Set<String>> byPackage(List<String> types) {
    Map<String, Set<String>> result = new TreeMap<>();
    for (String type : types) {
      String name = type.substring(type.lastIndexOf('.') + 1);
      result.computeIfAbsent(packageOf(type), unknown -> new TreeSet<>()).add(name);
    }
    return result;
  }

  private static String packageOf(String type) {
    return type.substring(ROOT.length(), type.lastIndexOf('.'));
  }

  /** Counts how often the first use of a class is in a package that others have followed. */
  private static int returns(List<String> types) {
    Map<String, Integer> lastUse = new HashMap<>();
    int returns = 0;
    for (int i = 0; i < types.size(); i++) {
      Integer before = lastUse.put(packageOf(types.get(i)), i);
      returns += before != null && before < i - 1 ? 1 : 0;
    }
    return returns;
  }
}
