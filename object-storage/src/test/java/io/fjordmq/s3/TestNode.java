package io.fjordmq.s3;

import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A broker process from the classes under test, with its data below a directory. */
final class TestNode implements AutoCloseable {
  private static final Pattern API_FILE =
      Pattern.compile("\\{\"url\":\"(.*)\",\"token\":\"(.*)\"}\n");
  private static final long SECONDS = 120;

  /** Credentials as an operator gives them to a node. */
  static final Map<String, String> ENVIRONMENT =
      Map.of(
          "AWS_ACCESS_KEY_ID",
          LocalS3.KEY_ID,
          "AWS_SECRET_ACCESS_KEY",
          LocalS3.SECRET,
          "AWS_MAX_ATTEMPTS",
          "2",
          "AWS_EC2_METADATA_DISABLED",
          "true");

  private final Path directory;
  private final int mqtt = FreePorts.one();
  private final Process process;

  private TestNode(Path directory) throws IOException {
    this.directory = directory;
    Files.createDirectories(directory);
    Path file = directory.resolve("standalone.yml");
    Files.writeString(
        file,
        """
        bootstrap: true
        mqttServerConfig:
          tcpListener:
            host: 127.0.0.1
            port: %d
        httpConfig:
          host: 127.0.0.1
          port: %d
        clusterConfig:
          env: Test
          host: 127.0.0.1
          port: %d
        """
            .formatted(mqtt, FreePorts.one(), FreePorts.forCluster()));
    this.process =
        start(
            directory.resolve("node.log"),
            ENVIRONMENT,
            List.of("-c", file.toString(), "-d", directory.resolve("node").toString()));
  }

  /** Starts a node, and waits until clients can connect. */
  static TestNode start(Path directory) throws IOException {
    TestNode node = new TestNode(directory);
    try {
      node.awaitReady(directory.resolve("node.log"));
      return node;
    } catch (RuntimeException | Error e) {
      node.close();
      throw e;
    }
  }

  private void awaitReady(Path output) {
    Await.until(
        () -> "a node that is ready: " + log(output),
        SECONDS,
        () -> log(output).contains("FjordMQ is ready") || !process.isAlive());
    if (!process.isAlive()) {
      throw new AssertionError(log(output));
    }
  }

  /** Runs a task of the broker's program, and returns its output and exit code. */
  static String run(Path directory, Map<String, String> environment, List<String> arguments)
      throws IOException, InterruptedException {
    Files.createDirectories(directory.resolve("node"));
    Path log = directory.resolve("task.log");
    int code = start(log, environment, arguments).waitFor();
    return log(log) + "exit code " + code;
  }

  private static Process start(Path log, Map<String, String> environment, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dcom.google.protobuf.use_unsafe_pre22_gencode=true");
    command.add("-Dlogback.configurationFile=" + Path.of("../conf/logback.xml").toAbsolutePath());
    command.add("-Dfjordmq.console=INFO");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("io.fjordmq.broker.Main");
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static String log(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Mqtt5BlockingClient client(String name) {
    return Mqtt5Client.builder()
        .identifier(name)
        .serverHost("127.0.0.1")
        .serverPort(mqtt)
        .buildBlocking();
  }

  /** Sends a request to the API, and returns the response. */
  String api(String method, String path, String body) {
    try {
      Matcher file =
          API_FILE.matcher(Files.readString(directory.resolve("node/data/control/api.json")));
      if (!file.matches()) {
        throw new AssertionError("unexpected content of api.json");
      }
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(file.group(1) + "/api/v5" + path))
              .header("Authorization", "Bearer " + file.group(2))
              .header("Content-Type", "application/json")
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .build();
      return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Starts a backup and waits for its end; returns its status. */
  String backUp(String request) {
    String started = api("POST", "/backup", request);
    if (!started.contains("\"running\"")) {
      return started;
    }
    Await.until("the end of the backup", SECONDS, () -> !status().contains("\"running\""));
    return status();
  }

  String status() {
    return api("GET", "/backup", "");
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
