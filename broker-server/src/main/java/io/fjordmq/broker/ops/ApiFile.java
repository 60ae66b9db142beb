package io.fjordmq.broker.ops;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The file {@code control/api.json} in the data directory, which only the user that runs the node
 * can read. It contains the URL of the HTTP port and a token, so that tools on the same host can
 * administer the node:
 *
 * <pre>
 * {"url":"http://127.0.0.1:18083","token":"Zm9vYmFy"}
 * </pre>
 *
 * The token is valid until the node stops.
 */
public final class ApiFile implements AutoCloseable {
  static final String NAME = "api.json";
  private static final String TEMPORARY = "api.json.tmp";

  private final Path file;

  private ApiFile(Path file) {
    this.file = file;
  }

  /**
   * Writes the file atomically.
   *
   * @param directory the data directory, in which {@link ControlDirectory#open} has created the
   *     directory
   * @param url the URL of the HTTP port on this host
   * @param token consists of letters, digits, {@code -} and {@code _}
   */
  public static ApiFile write(Path directory, String url, String token) throws IOException {
    Path folder = directory.resolve(ControlDirectory.NAME);
    Path temporary = folder.resolve(TEMPORARY);
    Files.deleteIfExists(temporary);
    try (var channel =
        Files.newByteChannel(
            temporary,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      String json = "{\"url\":\"" + url + "\",\"token\":\"" + token + "\"}\n";
      channel.write(ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8)));
    }
    Path file = folder.resolve(NAME);
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    return new ApiFile(file);
  }

  /** Deletes the file, because the token is no longer valid. */
  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
