package io.fjordmq.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Directories that only the user of the process can access (mode 0700), because messages, sessions
 * and logs are private. The files in them need no restrictive mode of their own. On file systems
 * without POSIX permissions these are ordinary directories.
 */
public final class PrivateDirectory {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private PrivateDirectory() {}

  /** Creates one directory; its parent must exist. */
  public static void create(Path path) throws IOException {
    Files.createDirectory(path, attributes(path));
  }

  /** Creates the directory and all missing parents; each is private. */
  public static void createAll(Path path) throws IOException {
    Files.createDirectories(path, attributes(path));
  }

  /**
   * Revokes the access of other users to a directory.
   *
   * @return whether they had access
   */
  public static boolean restrict(Path path) throws IOException {
    if (!hasModes(path) || OWNER_ONLY.containsAll(Files.getPosixFilePermissions(path))) {
      return false;
    }
    Files.setPosixFilePermissions(path, OWNER_ONLY);
    return true;
  }

  private static FileAttribute<?>[] attributes(Path path) {
    return hasModes(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
        : new FileAttribute<?>[0];
  }

  private static boolean hasModes(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
