package io.fjordmq.broker.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jars from which plugins were loaded. A running node keeps the classes that it has loaded, so
 * a plugin must be reloaded after a jar has been replaced. Each change is logged once. Thread-safe.
 */
final class PluginFiles {
  private static final Logger LOG = LoggerFactory.getLogger(PluginFiles.class);

  private record Signature(FileTime modified, long size) {}

  // Guarded by this.
  private final Map<Path, @Nullable Signature> loaded = new HashMap<>();
  private final Set<Path> changedSinceLoaded = ConcurrentHashMap.newKeySet();

  /** Records the current state of the files. */
  synchronized void add(List<Path> jars) {
    jars.forEach(jar -> loaded.put(jar, signature(jar)));
  }

  /** The state of some files. */
  record State(Map<Path, @Nullable Signature> signatures) {
    static State of(List<Path> jars) {
      Map<Path, @Nullable Signature> signatures = new HashMap<>();
      jars.forEach(jar -> signatures.put(jar, signature(jar)));
      return new State(signatures);
    }
  }

  /**
   * Records files that replace others.
   *
   * @param now their state before they were loaded
   */
  synchronized void replace(List<Path> before, State now) {
    before.forEach(loaded::remove);
    before.forEach(changedSinceLoaded::remove);
    loaded.putAll(now.signatures);
  }

  /**
   * Logs a warning for each file that was changed or removed since it was loaded or since the last
   * warning.
   *
   * @return the files for which a warning was logged
   */
  synchronized Set<Path> warnOfChanges() {
    Set<Path> changed = new HashSet<>();
    for (Map.Entry<Path, @Nullable Signature> file : loaded.entrySet()) {
      Signature now = signature(file.getKey());
      if (now == null ? file.getValue() != null : !now.equals(file.getValue())) {
        file.setValue(now);
        changed.add(file.getKey());
        changedSinceLoaded.add(file.getKey());
        LOG.warn(
            "Plugin file {} after it was loaded; reload the plugin (bin/fjordmq plugins reload) or"
                + " restart the node to apply the change path={}",
            now == null ? "was removed" : "changed",
            file.getKey());
      }
    }
    return changed;
  }

  /** Whether a warning was logged for any of the files. */
  boolean haveChanged(List<Path> jars) {
    return jars.stream().anyMatch(changedSinceLoaded::contains);
  }

  private static @Nullable Signature signature(Path file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Signature(attributes.lastModifiedTime(), attributes.size());
    } catch (IOException e) {
      return null;
    }
  }
}
