package io.fjordmq.broker.backup;

import io.fjordmq.cluster.AtomicFile;
import io.fjordmq.cluster.PrivateDirectory;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** A backup in a directory. */
final class DirectoryStorage implements BackupStorage {
  private final boolean isAbsolute;
  private final Path directory;

  DirectoryStorage(Path directory) {
    this.isAbsolute = directory.isAbsolute();
    this.directory = directory.toAbsolutePath().normalize();
  }

  Path directory() {
    return directory;
  }

  @Override
  public String location() {
    return directory.toString();
  }

  @Override
  public void prepare() throws IOException {
    if (!isAbsolute) {
      throw new BackupException("the directory must be an absolute path, not a relative one");
    }
    if (Files.isDirectory(directory)) {
      requireEmpty();
    } else if (Files.exists(directory)) {
      throw new BackupException(directory + " is not a directory");
    } else if (!isCreatable()) {
      throw new BackupException(
          "%s does not exist and cannot be created: create it, or choose a directory in an existing one"
              .formatted(directory));
    } else {
      createDirectory();
    }
    if (!Files.isWritable(directory)) {
      throw new BackupException(directory + " is not writable for the user that runs the node");
    }
  }

  /** Whether the parent exists. It is not the root, which a typing error must not clutter. */
  private boolean isCreatable() {
    Path parent = directory.getParent();
    return parent != null && parent.getParent() != null && Files.isDirectory(parent);
  }

  private void requireEmpty() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      if (files.findAny().isPresent()) {
        throw new BackupException(directory + " is not empty; choose a new directory");
      }
    }
  }

  private void createDirectory() throws BackupException {
    try {
      PrivateDirectory.create(directory);
    } catch (IOException e) {
      throw new BackupException("cannot create " + directory + ": " + e, e);
    }
  }

  @Override
  public OptionalLong size(String name) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new BackupException("there is no backup in " + directory + ": not a directory");
    }
    Path file = directory.resolve(name);
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
        ? OptionalLong.of(Files.size(file))
        : OptionalLong.empty();
  }

  @Override
  public InputStream read(String name) throws IOException {
    return Files.newInputStream(directory.resolve(name));
  }

  @Override
  public NewFile create(String name) throws IOException {
    Path file = directory.resolve(name);
    Files.deleteIfExists(file);
    return new SyncedFile(file);
  }

  @Override
  public void put(String name, byte[] content) throws IOException {
    AtomicFile.replace(directory.resolve(name), content);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(directory.resolve(name));
  }

  @Override
  public long freeBytes() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public void close() {}

  /** A file that is flushed to the disk when it is complete. */
  private static final class SyncedFile extends NewFile {
    private final Path file;
    private final FileOutputStream out;
    private boolean isComplete;

    SyncedFile(Path file) throws IOException {
      this.file = file;
      this.out = new FileOutputStream(file.toFile());
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void commit() throws IOException {
      out.getFD().sync();
      isComplete = true;
    }

    @Override
    public void close() throws IOException {
      out.close();
      if (!isComplete) {
        Files.deleteIfExists(file);
      }
    }
  }
}
