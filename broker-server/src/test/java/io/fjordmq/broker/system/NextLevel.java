package io.fjordmq.broker.system;

import io.fjordmq.cluster.SupportedLevels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A release that supports one cluster level more than this one. A node gets it from its class path,
 * if that has the {@link #createService service}. Entries in the logs of ranges contain the level,
 * so other releases cannot read them.
 */
public final class NextLevel implements SupportedLevels.Source {
  /** Its highest level; that of this release is one lower. */
  static final int HIGHEST = 3;

  @Override
  public SupportedLevels levels() {
    return new SupportedLevels(1, HIGHEST);
  }

  /** Creates a directory that makes nodes support the level if it is in their class path. */
  static Path createService(Path directory) throws IOException {
    Path services = Files.createDirectories(directory.resolve("next-level/META-INF/services"));
    Files.writeString(
        services.resolve(SupportedLevels.Source.class.getName()), NextLevel.class.getName());
    return directory.resolve("next-level");
  }
}
