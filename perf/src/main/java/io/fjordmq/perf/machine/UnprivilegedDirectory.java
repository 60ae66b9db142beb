package io.fjordmq.perf.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A temporary directory for a server that needs no privileges. If the tool runs as root, the
 * directory belongs to {@code nobody}, and {@link #wrap} starts the server as this user.
 */
public record UnprivilegedDirectory(Path path, boolean asNobody) implements AutoCloseable {
  private static final String USER = "nobody";

  /** Group of {@link #USER}, which does not have the same name on all systems. */
  private static final String GROUP_ID = "65534";

  /** Creates the directory. */
  public static UnprivilegedDirectory make() throws IOException {
    Path path = Files.createTempDirectory("fjordmq-perf-service");
    String programs = System.getenv().getOrDefault("PATH", "");
    boolean root = System.getProperty("user.name", "").equals("root");
    UnprivilegedDirectory folder =
        new UnprivilegedDirectory(path, root && Program.isInPath("setpriv", programs));
    if (folder.asNobody) {
      Files.setOwner(
          path, path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
    }
    return folder;
  }

  /** Returns a command that starts the program as the owner of the directory, in one process. */
  public List<String> wrap(List<String> command) {
    if (!asNobody) {
      return command;
    }
    List<String> wrapped =
        new ArrayList<>(
            List.of("setpriv", "--reuid=" + USER, "--regid=" + GROUP_ID, "--clear-groups"));
    wrapped.addAll(command);
    return wrapped;
  }

  /** Deletes the directory and its contents. */
  @Override
  public void close() {
    try {
      new WorkFolder(path).delete();
    } catch (IOException e) {
      throw new UncheckedIOException("failed to delete " + path, e);
    }
  }
}
