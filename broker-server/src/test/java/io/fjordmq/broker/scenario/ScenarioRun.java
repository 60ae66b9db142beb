package io.fjordmq.broker.scenario;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.testing.RawBroker;
import io.fjordmq.broker.testing.RawBroker.RawConnection;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs one scenario with one protocol version on a broker of its own. */
final class ScenarioRun implements AutoCloseable {
  /** A connection and the name of its client in the scenario. */
  private static final class Client {
    private final RawConnection line;
    private final int version;
    private final List<String> unreadBefore;
    private boolean gone;

    /**
     * @param before unread packets of an earlier connection with this name
     */
    private Client(RawConnection line, int version, List<String> before) {
      this.line = line;
      this.version = version;
      this.unreadBefore = before;
    }
  }

  private final Scenario scenario;
  private final int version;
  private final RawBroker broker;
  private final Map<String, Client> clients = new LinkedHashMap<>();
  private boolean held;

  private ScenarioRun(Scenario scenario, int version) {
    this.scenario = scenario;
    this.version = version;
    SessionSettings settings = SessionSettings.defaults();
    for (Statement statement : scenario.settings()) {
      settings = withSetting(settings, statement);
    }
    this.broker = new RawBroker(settings);
  }

  /**
   * @throws ScenarioException if the broker sends something else, or the scenario is invalid
   */
  static void run(Scenario scenario, int version) {
    try (ScenarioRun run = new ScenarioRun(scenario, version)) {
      run.run();
    }
  }

  private static SessionSettings withSetting(SessionSettings settings, Statement statement) {
    String[] nameAndValue = String.join("", statement.rest()).split("=", 2);
    for (RecordComponent component : SessionSettings.class.getRecordComponents()) {
      if (nameAndValue.length == 2 && component.getName().equals(nameAndValue[0])) {
        return RawBroker.settings(
            settings, nameAndValue[0], parseValue(component.getType(), nameAndValue[1]));
      }
    }
    throw statement.fault("a setting is name=value, with a name of SessionSettings");
  }

  private static Object parseValue(Class<?> type, String value) {
    if (type == boolean.class) {
      return Boolean.parseBoolean(value);
    } else if (type == long.class) {
      return Long.parseLong(value);
    } else if (type == Duration.class) {
      return Duration.parse(value);
    }
    return Integer.parseInt(value);
  }

  private void run() {
    for (Scenario.Step step : scenario.steps()) {
      step.actions().forEach(this::perform);
      check(step.expected());
    }
    if (held) {
      throw new ScenarioException(scenario.file(), scenario.line(), "the stores are still held");
    }
  }

  private void perform(Statement statement) {
    switch (statement.verb()) {
      case "open" -> {
        Options options = statement.options();
        int itsVersion = options.number("v", version);
        options.requireAllConsumed();
        open(statement, itsVersion);
      }
      case "connect" -> connect(statement);
      case "cut" -> {
        statement.options().requireAllConsumed();
        Client client = client(statement);
        client.gone = true;
        client.line.cut();
      }
      case "send" -> {
        List<String> hex = statement.words().subList(2, statement.words().size());
        client(statement).line.send(hex.toArray(String[]::new));
      }
      case "wait" -> broker.advanceTime(seconds(statement));
      case "hold" -> {
        requireNoArguments(statement);
        held = true;
        broker.hold();
      }
      case "resume" -> {
        requireNoArguments(statement);
        held = false;
        broker.resume();
      }
      case "crash" -> {
        requireNoArguments(statement);
        clients.clear();
        broker.crash();
      }
      case "shutdown" -> {
        requireNoArguments(statement);
        broker.shutDown();
      }
      default -> client(statement).line.send(packet(statement, client(statement).version));
    }
  }

  private static String packet(Statement statement, int version) {
    Options options = statement.options();
    return switch (statement.verb()) {
      case "publish" -> PacketBytes.publish(options, version);
      case "puback" -> PacketBytes.reply(0x40, options);
      case "pubrec" -> PacketBytes.reply(0x50, options);
      case "pubrel" -> PacketBytes.reply(0x62, options);
      case "pubcomp" -> PacketBytes.reply(0x70, options);
      case "subscribe" -> PacketBytes.subscribe(options, version);
      case "unsubscribe" -> PacketBytes.unsubscribe(options, version);
      case "disconnect" -> PacketBytes.reasonPacket(0xE0, options);
      case "auth" -> PacketBytes.reasonPacket(0xF0, options);
      case "ping" -> {
        options.requireAllConsumed();
        yield Bytes.packet(0xC0, "");
      }
      default -> throw statement.fault("unknown word: " + statement.verb());
    };
  }

  private static void requireNoArguments(Statement statement) {
    if (!statement.rest().isEmpty()) {
      throw statement.fault(statement.verb() + " stands alone");
    }
  }

  private static long seconds(Statement statement) {
    String time = String.join("", statement.rest());
    if (!time.matches("\\d+s")) {
      throw statement.fault("wait how long? e.g. wait 40s");
    }
    return Long.parseLong(time.substring(0, time.length() - 1));
  }

  private Client client(Statement statement) {
    Client client = clients.get(statement.client());
    if (client == null) {
      throw statement.fault("unknown word or client: " + statement);
    }
    return client;
  }

  private Client open(Statement statement, int itsVersion) {
    Client before = clients.get(statement.client());
    if (before != null && before.line.isOpen()) {
      throw statement.fault(
          statement.client() + " is still connected; another name with id= is the same client");
    }
    List<String> unseen = before == null ? List.of() : readPackets(statement.client(), before);
    Client client = new Client(broker.open(), itsVersion, new ArrayList<>(unseen));
    clients.put(statement.client(), client);
    return client;
  }

  private void connect(Statement statement) {
    Options options = statement.options();
    int itsVersion = options.number("v", version);
    String packet = PacketBytes.connect(statement.client(), options, itsVersion);
    open(statement, itsVersion).line.send(packet);
  }

  private void check(List<Statement> expected) {
    Map<String, List<Statement>> byClient = new LinkedHashMap<>();
    clients.keySet().forEach(name -> byClient.put(name, new ArrayList<>()));
    for (Statement statement : expected) {
      if (statement.verb().equals("nothing")) {
        if (expected.size() > 1 || !statement.rest().isEmpty()) {
          throw statement.fault("'nothing' stands alone");
        }
        continue;
      }
      List<Statement> its = byClient.get(statement.client());
      if (its == null) {
        throw statement.fault("no client " + statement.client());
      }
      its.add(statement);
    }
    List<String> seen = new ArrayList<>();
    Statement wrong = null;
    for (Map.Entry<String, Client> one : clients.entrySet()) {
      List<String> its = readPackets(one.getKey(), one.getValue());
      seen.addAll(its);
      List<Statement> wanted = byClient.getOrDefault(one.getKey(), List.of());
      Statement first = Expectation.firstMismatch(wanted, its);
      if (wrong == null && first != null) {
        wrong = first;
      } else if (wrong == null && its.size() > wanted.size()) {
        wrong = expected.get(expected.size() - 1);
      }
    }
    if (wrong != null) {
      throw wrong.fault(difference(expected, seen));
    }
  }

  private List<String> readPackets(String name, Client client) {
    List<String> all = new ArrayList<>(client.unreadBefore);
    client.unreadBefore.clear();
    client.line.read().forEach(hex -> all.add(PacketText.of(name, client.version, hex)));
    if (!client.line.isOpen() && !client.gone) {
      client.gone = true;
      all.add("CLOSED " + name);
    }
    return all;
  }

  private String difference(List<Statement> expected, List<String> seen) {
    StringBuilder text = new StringBuilder(scenario.title());
    text.append("\nMQTT ").append(version).append(", expected");
    expected.forEach(one -> text.append("\n    ").append(one));
    text.append("\nseen");
    (seen.isEmpty() ? List.of("nothing") : seen).forEach(one -> text.append("\n    ").append(one));
    return text.toString();
  }

  @Override
  public void close() {
    broker.close();
  }
}
