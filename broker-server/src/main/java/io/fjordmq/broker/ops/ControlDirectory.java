package io.fjordmq.broker.ops;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives operator commands as files in a subdirectory of the data directory, which only the user
 * that runs the node can access. {@code bin/standalone.sh} writes a request, one line of words, and
 * moves it into place as {@code NAME.request}. The node removes the request, executes it, and
 * writes {@code NAME.response}: a line with the exit code, followed by text. Commands cannot be
 * sent over the network. The directory also contains {@link ApiFile}.
 *
 * <p>Not thread-safe. {@link #poll} blocks while a command is executed.
 */
public final class ControlDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(ControlDirectory.class);
  static final String NAME = "control";
  private static final String REQUEST = ".request";
  private static final String RESPONSE = ".response";
  private static final int MAX_REQUEST_BYTES = 4_096;

  /** The age at which a response that nobody has fetched is deleted. */
  private static final Duration RETENTION = Duration.ofMinutes(10);

  private final Path folder;
  private final Function<List<String>, CommandResult> commands;
  private final InstantSource clock;
  private boolean failureLogged;

  /**
   * The response to a command.
   *
   * @param exitCode the exit code of the script: 0 done, 1 failed, 2 usage error, 75 in progress
   * @param text the response text for the operator
   */
  public record CommandResult(int exitCode, String text) {
    public static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int USAGE_ERROR = 2;

    /** The command is still in progress; the caller repeats it until it is done. */
    public static final int IN_PROGRESS = 75;

    public static CommandResult done(String text) {
      return new CommandResult(DONE, text);
    }

    public static CommandResult failed(String reason) {
      return new CommandResult(FAILED, reason);
    }

    public static CommandResult usageError(String text) {
      return new CommandResult(USAGE_ERROR, text);
    }

    public static CommandResult inProgress(String text) {
      return new CommandResult(IN_PROGRESS, text);
    }
  }

  private ControlDirectory(
      Path folder, Function<List<String>, CommandResult> commands, InstantSource clock) {
    this.folder = folder;
    this.commands = commands;
    this.clock = clock;
  }

  /**
   * Creates the directory, or deletes requests and responses left over from an earlier process.
   *
   * @param directory the data directory, locked by this process
   * @param commands executes the words of a request; may block
   */
  public static ControlDirectory open(
      Path directory, Function<List<String>, CommandResult> commands, InstantSource clock)
      throws IOException {
    Path folder = directory.resolve(NAME);
    if (!Files.isDirectory(folder)) {
      Files.createDirectory(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    for (Path stale : entries(folder)) {
      Files.deleteIfExists(stale);
    }
    return new ControlDirectory(folder, commands, clock);
  }

  private static List<Path> entries(Path folder) throws IOException {
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      files.forEach(entries::add);
    }
    entries.sort(null);
    return entries;
  }

  /** Executes new commands and deletes old responses. Called twice a second. */
  public void poll() {
    try {
      for (Path entry : entries(folder)) {
        String name = entry.getFileName().toString();
        if (name.endsWith(REQUEST)) {
          respond(entry, name.substring(0, name.length() - REQUEST.length()));
        } else if (!name.equals(ApiFile.NAME) && isExpired(entry)) {
          Files.deleteIfExists(entry);
        }
      }
      failureLogged = false;
    } catch (IOException e) {
      if (!failureLogged) {
        LOG.warn(
            "Cannot read operator commands; check the directory's permissions: {} directory={}",
            e.toString(),
            folder);
      }
      failureLogged = true;
    }
  }

  private boolean isExpired(Path entry) throws IOException {
    try {
      return Files.getLastModifiedTime(entry).toInstant().plus(RETENTION).isBefore(clock.instant());
    } catch (NoSuchFileException fetched) {
      return false;
    }
  }

  private void respond(Path request, String name) throws IOException {
    CommandResult commandResult = perform(request);
    Path temporary = folder.resolve(name + ".tmp");
    Files.writeString(temporary, commandResult.exitCode() + "\n" + commandResult.text() + "\n");
    Files.move(temporary, folder.resolve(name + RESPONSE), StandardCopyOption.ATOMIC_MOVE);
  }

  private CommandResult perform(Path request) throws IOException {
    String line;
    try (InputStream in = Files.newInputStream(request)) {
      byte[] bytes = in.readNBytes(MAX_REQUEST_BYTES + 1);
      if (bytes.length > MAX_REQUEST_BYTES) {
        return CommandResult.usageError(
            "the command is longer than " + MAX_REQUEST_BYTES + " bytes");
      }
      line = new String(bytes, StandardCharsets.UTF_8).strip();
    } finally {
      Files.deleteIfExists(request);
    }
    List<String> words = List.of(line.split("\\s+"));
    try {
      CommandResult commandResult = commands.apply(words);
      LOG.info("Operator command '{}': {}", line, commandResult.text());
      return commandResult;
    } catch (RuntimeException e) {
      LOG.error("Operator command '{}' failed unexpectedly; please report this bug", line, e);
      return CommandResult.failed(
          "the command failed because of a bug in FjordMQ; see the log: " + e);
    }
  }
}
