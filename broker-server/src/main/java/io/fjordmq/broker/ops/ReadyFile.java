package io.fjordmq.broker.ops;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;

/**
 * A file in the data directory that announces that clients can connect and lists the addresses.
 * bin/standalone.sh waits for this file. It is deleted at shutdown; after a crash, it remains and
 * contains the id of a dead process.
 *
 * <pre>
 * 4711
 * since=1767225600
 * mqtt=tcp://0.0.0.0:1883
 * http=http://127.0.0.1:18083
 * </pre>
 */
public final class ReadyFile implements AutoCloseable {
  private static final String NAME = "fjordmq.pid";

  private final Path file;

  private ReadyFile(Path file) {
    this.file = file;
  }

  /**
   * Writes the file atomically.
   *
   * @param directory the data directory, locked by this process
   * @param since the time at which the node became ready
   * @param mqtt the URIs of the MQTT listeners
   * @param http the URI of the HTTP port
   */
  public static ReadyFile write(Path directory, Instant since, List<String> mqtt, String http)
      throws IOException {
    StringBuilder text = new StringBuilder();
    text.append(ProcessHandle.current().pid()).append('\n');
    text.append("since=").append(since.getEpochSecond()).append('\n');
    mqtt.forEach(uri -> text.append("mqtt=").append(uri).append('\n'));
    text.append("http=").append(http).append('\n');
    Path temporary = directory.resolve(NAME + ".tmp");
    Files.writeString(temporary, text, StandardCharsets.UTF_8);
    Path file = directory.resolve(NAME);
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    return new ReadyFile(file);
  }

  /** Deletes the file, because clients can no longer connect. */
  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
