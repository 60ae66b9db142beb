package io.fjordmq.broker.security;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The command behind {@code bin/passwd.sh}, which edits a password file. The script's help
 * describes the options.
 */
public final class PasswordCommand {
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final int USAGE_ERROR = 2;
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private final Reader in;
  private final @Nullable Console console;
  private final PrintStream err;

  PasswordCommand(Reader in, @Nullable Console console, PrintStream err) {
    this.in = in;
    this.console = console;
    this.err = err;
  }

  public static void main(String[] args) {
    Reader in = new InputStreamReader(System.in, StandardCharsets.UTF_8);
    System.exit(new PasswordCommand(in, System.console(), System.err).run(args));
  }

  /** Runs the command; returns the exit code. */
  int run(String... args) {
    List<String> words = new ArrayList<>(List.of(args));
    StringBuilder options = new StringBuilder();
    while (!words.isEmpty() && words.get(0).matches("-[cbDU]+")) {
      options.append(words.remove(0).substring(1));
    }
    String given = options.toString();
    int expected = given.contains("U") ? 1 : given.contains("b") ? 3 : 2;
    boolean conflicting =
        (given.contains("U") || given.contains("D")) && given.chars().distinct().count() > 1;
    if (words.size() != expected || conflicting) {
      err.println("passwd: invalid arguments; see bin/passwd.sh --help");
      return USAGE_ERROR;
    }
    Path file = Path.of(words.get(0));
    try {
      if (given.contains("U")) {
        hashAll(file);
      } else if (given.contains("D")) {
        remove(file, words.get(1));
      } else {
        byte[] password =
            given.contains("b") ? words.get(2).getBytes(StandardCharsets.UTF_8) : readPassword();
        add(file, words.get(1), password, given.contains("c"));
      }
      return DONE;
    } catch (NoSuchFileException e) {
      err.println("passwd: file not found: " + file + "; create it with -c");
    } catch (IOException e) {
      err.println("passwd: " + e.getMessage());
    }
    return FAILED;
  }

  private void add(Path file, String user, byte[] password, boolean create) throws IOException {
    if (user.isEmpty()
        || user.contains(":")
        || user.startsWith("#")
        || !user.equals(user.strip())) {
      throw new IOException(
          "a user name must not be empty, begin with '#', contain ':', or begin or end with a"
              + " space");
    }
    if (user.chars().anyMatch(Character::isISOControl)) {
      throw new IOException("a user name must not contain control characters");
    }
    Map<String, String> lines = create ? new LinkedHashMap<>() : lines(file);
    lines.put(user, user + ":" + PasswordHash.of(password, new SecureRandom()).text());
    write(file, lines);
  }

  private static void remove(Path file, String user) throws IOException {
    Map<String, String> lines = lines(file);
    if (lines.remove(user) == null) {
      throw new IOException("user " + user + " not found in " + file);
    }
    write(file, lines);
  }

  private static void hashAll(Path file) throws IOException {
    Map<String, String> lines = lines(file);
    SecureRandom random = new SecureRandom();
    for (Map.Entry<String, String> entry : lines.entrySet()) {
      String user = entry.getKey();
      if (entry.getValue().startsWith(user + ":") && !entry.getValue().startsWith(user + ":$")) {
        byte[] password =
            entry.getValue().substring(user.length() + 1).getBytes(StandardCharsets.UTF_8);
        entry.setValue(user + ":" + PasswordHash.of(password, random).text());
      }
    }
    write(file, lines);
  }

  /**
   * Returns the lines of the file by user. Other lines, such as comments, are keyed by a string
   * that cannot be a user name: their line number followed by a colon.
   */
  private static Map<String, String> lines(Path file) throws IOException {
    Map<String, String> lines = new LinkedHashMap<>();
    int number = 0;
    for (String line : TextFile.lines(file)) {
      number++;
      int colon = line.indexOf(':');
      boolean entry = colon > 0 && !line.startsWith("#");
      String user = entry ? line.substring(0, colon) : number + ":";
      if (lines.put(user, line) != null) {
        throw new IOException(file + ":" + number + ": user " + user + " is listed more than once");
      }
    }
    return lines;
  }

  private byte[] readPassword() throws IOException {
    if (console == null) {
      String line = new BufferedReader(in).readLine();
      if (line == null) {
        throw new IOException("no password on standard input");
      }
      return line.getBytes(StandardCharsets.UTF_8);
    }
    char[] entered = console.readPassword("Password: ");
    char[] repeated = console.readPassword("Again: ");
    if (entered == null || !Arrays.equals(entered, repeated)) {
      throw new IOException("passwords do not match; nothing was changed");
    }
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(CharBuffer.wrap(entered));
    byte[] password = new byte[bytes.remaining()];
    bytes.get(password);
    return password;
  }

  /** Replaces the file atomically, so that a reader sees either the old or the new contents. */
  private static void write(Path file, Map<String, String> lines) throws IOException {
    Path target = file.toAbsolutePath();
    if (Files.isSymbolicLink(target)) {
      target = target.toRealPath();
    }
    if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(file + " is a directory");
    }
    Path next = target.resolveSibling(target.getFileName() + ".new");
    try {
      Files.createFile(next, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (FileAlreadyExistsException e) {
      throw new IOException(
          next
              + " exists: another edit is in progress or was interrupted; if none is running,"
              + " remove it",
          e);
    }
    try {
      Files.write(next, lines.values());
      keepOwner(target, next);
      Files.move(next, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(next);
    }
  }

  /**
   * Keeps the file's owner, so that the file still belongs to the node's user after an
   * administrator has edited it.
   */
  private static void keepOwner(Path target, Path next) throws IOException {
    if (Files.exists(target) && !Files.getOwner(target).equals(Files.getOwner(next))) {
      Files.setOwner(next, Files.getOwner(target));
    }
  }
}
