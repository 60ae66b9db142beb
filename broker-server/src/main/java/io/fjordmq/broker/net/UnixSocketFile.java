package io.fjordmq.broker.net;

import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of a Unix domain socket. The file is created under a temporary name and renamed once its
 * permissions are set, so that no client can connect earlier. The rename also atomically replaces
 * the file left by a previous process.
 */
final class UnixSocketFile {
  private static final PosixFilePermission[] FROM_LOWEST_BIT = {
    PosixFilePermission.OTHERS_EXECUTE,
    PosixFilePermission.OTHERS_WRITE,
    PosixFilePermission.OTHERS_READ,
    PosixFilePermission.GROUP_EXECUTE,
    PosixFilePermission.GROUP_WRITE,
    PosixFilePermission.GROUP_READ,
    PosixFilePermission.OWNER_EXECUTE,
    PosixFilePermission.OWNER_WRITE,
    PosixFilePermission.OWNER_READ
  };

  private final String key;
  private final Path path;
  private final Path temporaryPath;
  private final Set<PosixFilePermission> permissions;
  private final boolean forNio;

  private UnixSocketFile(
      String key, Path path, Set<PosixFilePermission> permissions, boolean forNio) {
    this.key = key;
    this.path = path;
    this.temporaryPath = path.resolveSibling(path.getFileName() + ".new");
    this.permissions = permissions;
    this.forNio = forNio;
  }

  /**
   * Checks that the path does not exist or was left behind by a process that has ended.
   *
   * @param forNio true to bind with java.nio, false to bind with Netty
   * @throws IllegalStateException if the path is in use; the message says what to do
   */
  static UnixSocketFile acquire(String key, Endpoint.Unix endpoint, boolean forNio) {
    Path path = Path.of(endpoint.path());
    UnixSocketFile file =
        new UnixSocketFile(key, path, parsePermissions(endpoint.permissions()), forNio);
    try {
      if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        file.requireStale();
      }
      Files.deleteIfExists(file.temporaryPath);
      return file;
    } catch (IOException e) {
      throw file.unusable(e + "; make the path accessible", e);
    }
  }

  private void requireStale() throws IOException {
    boolean socket =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther();
    if (!socket) {
      throw unusable("the file exists and is not a socket; remove it", null);
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      return; // no process is listening
    }
    throw unusable("another process is listening on it; stop that process", null);
  }

  private IllegalStateException unusable(String why, @Nullable Throwable cause) {
    return new IllegalStateException(
        "cannot listen on " + path + ": " + why + ", or change " + key + ".path", cause);
  }

  private static Set<PosixFilePermission> parsePermissions(String octal) {
    int bits = Integer.parseInt(octal, 8);
    EnumSet<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < FROM_LOWEST_BIT.length; i++) {
      if ((bits >> i & 1) == 1) {
        set.add(FROM_LOWEST_BIT[i]);
      }
    }
    return set;
  }

  /** The address to bind. */
  SocketAddress address() {
    return forNio
        ? UnixDomainSocketAddress.of(temporaryPath)
        : new DomainSocketAddress(temporaryPath.toString());
  }

  /** Makes the socket available to clients. Must be called after the bind. */
  void open() {
    try {
      Files.setPosixFilePermissions(temporaryPath, permissions);
      Files.move(temporaryPath, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw unusable(e.toString(), e);
    }
  }

  /** Removes the file when the listener closes. */
  void remove() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // The next start replaces the file, because no process is listening on it.
    }
  }
}
