package io.fjordmq.broker.revocation;

import io.fjordmq.broker.revocation.RevocationStatus.Kind;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The revocation lists in a file or in the files of a directory. Files are reloaded when they
 * change; an invalid file is reported, and its previous lists stay in use. {@link #poll} must not
 * be called concurrently; {@link #status} can be called on any thread and does not block on the
 * disk.
 */
final class CrlFiles {
  private static final Logger LOG = LoggerFactory.getLogger(CrlFiles.class);

  /** The lists are kept in memory, where they take about ten times their size. */
  private static final long MAX_BYTES = 16L << 20;

  private static final int MAX_FILES = 1_000;

  /** Identifies a version of a file. */
  private record Version(FileTime modified, long size, @Nullable Object key) {}

  /**
   * A file whose lists are in use.
   *
   * @param rejected the version that cannot be used, although an older one is in use; null if there
   *     is none
   */
  private record LoadedFile(Version version, List<Crl> lists, @Nullable Version rejected) {}

  private final Path path;
  private Map<Path, LoadedFile> files = new TreeMap<>();
  private volatile Map<X500Principal, List<Crl>> byIssuer = Map.of();
  private final Set<Crl> warned = new HashSet<>();
  private @Nullable String reportedFailure;

  private CrlFiles(Path path) {
    this.path = path;
  }

  /**
   * Reads all files.
   *
   * @throws IOException if a file cannot be read or is invalid; the message names it
   */
  static CrlFiles open(String path) throws IOException {
    CrlFiles opened = new CrlFiles(Path.of(path));
    Map<Path, LoadedFile> read = new TreeMap<>();
    for (Map.Entry<Path, Version> file : opened.findFiles().entrySet()) {
      read.put(file.getKey(), new LoadedFile(file.getValue(), parse(file.getKey()), null));
    }
    opened.use(read);
    return opened;
  }

  private static List<Crl> parse(Path file) throws IOException {
    return Crl.parse(file.toString(), Files.readAllBytes(file));
  }

  private Map<Path, Version> findFiles() throws IOException {
    Map<Path, Version> found = new TreeMap<>();
    try {
      if (!Files.isDirectory(path)) {
        found.put(path, version(path));
      } else {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
          for (Path file : files) {
            if (Files.isRegularFile(file) && !file.getFileName().toString().startsWith(".")) {
              found.put(file, version(file));
            }
          }
        }
      }
    } catch (NoSuchFileException e) {
      throw new IOException("file not found: " + Path.of(e.getFile()).toAbsolutePath(), e);
    }
    long bytes = found.values().stream().mapToLong(Version::size).sum();
    if (found.size() > MAX_FILES || bytes > MAX_BYTES) {
      throw new IOException(
          path
              + ": at most "
              + MAX_FILES
              + " files with "
              + MAX_BYTES
              + " bytes in total are supported, not "
              + found.size()
              + " files with "
              + bytes
              + " bytes");
    }
    return found;
  }

  private static Version version(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new Version(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
  }

  private void use(Map<Path, LoadedFile> read) {
    Map<X500Principal, List<Crl>> grouped = new HashMap<>();
    for (LoadedFile file : read.values()) {
      for (Crl list : file.lists) {
        grouped.computeIfAbsent(list.issuer(), issuer -> new ArrayList<>()).add(list);
      }
    }
    files = read;
    byIssuer = grouped;
    warned.removeIf(list -> !grouped.getOrDefault(list.issuer(), List.of()).contains(list));
  }

  /**
   * Reloads files that have changed.
   *
   * @return true if other lists are in use now, false if a file cannot be used, null if nothing has
   *     changed
   */
  @Nullable Boolean poll() {
    Map<Path, Version> found;
    try {
      found = findFiles();
      reportedFailure = null;
    } catch (IOException e) {
      String failure = String.valueOf(e.getMessage());
      if (failure.equals(reportedFailure)) {
        return null;
      }
      reportedFailure = failure;
      LOG.warn("Cannot read revocation lists; the previous lists stay in use: {}", failure);
      return false;
    }
    Map<Path, LoadedFile> next = new TreeMap<>();
    boolean changed = !files.keySet().equals(found.keySet());
    boolean failed = false;
    for (Map.Entry<Path, Version> file : found.entrySet()) {
      LoadedFile before = files.get(file.getKey());
      Version version = file.getValue();
      if (before != null && (version.equals(before.version) || version.equals(before.rejected))) {
        next.put(file.getKey(), before);
        continue;
      }
      LoadedFile loaded = reload(file.getKey(), version, before);
      next.put(file.getKey(), loaded);
      changed |= loaded.rejected == null;
      failed |= loaded.rejected != null;
    }
    if (changed) {
      use(next);
      LOG.info("Loaded revocation lists path={} files={}", path, next.size());
    } else {
      files = next;
    }
    return failed ? Boolean.FALSE : changed ? Boolean.TRUE : null;
  }

  /** Logs once for each list that it {@linkplain #expiring needs a successor}. */
  void warnOfExpiry(Instant now) {
    for (Crl list : nearTheirEnd(now)) {
      if (warned.add(list)) {
        LOG.warn(
            "Revocation list expires soon; replace the file, or the clients of its issuer will be"
                + " refused path={} expires={}",
            list.file(),
            list.nextUpdate());
      }
    }
  }

  /**
   * Returns the lists that need a successor: those that have expired, or of whose time a tenth is
   * left. Lists that have a successor already do not count. Can be called on any thread.
   */
  List<ExpiringList> expiring(Instant now) {
    List<ExpiringList> expiring = new ArrayList<>();
    for (Crl list : nearTheirEnd(now)) {
      Instant end = list.nextUpdate();
      if (end != null) {
        expiring.add(new ExpiringList(list.issuer().getName(), list.file(), end));
      }
    }
    return expiring;
  }

  private List<Crl> nearTheirEnd(Instant now) {
    List<Crl> near = new ArrayList<>();
    for (List<Crl> lists : byIssuer.values()) {
      for (Crl list : lists) {
        Instant end = list.nextUpdate();
        boolean last = lists.stream().noneMatch(one -> one.replaces(list));
        if (end != null && last && isNear(list.thisUpdate(), end, now)) {
          near.add(list);
        }
      }
    }
    return near;
  }

  private static boolean isNear(Instant begin, Instant end, Instant now) {
    return now.isAfter(end.minus(Duration.between(begin, end).dividedBy(10)));
  }

  /** Reads a changed file; if that is not possible, its previous lists stay in use. */
  private static LoadedFile reload(Path file, Version version, @Nullable LoadedFile before) {
    try {
      return new LoadedFile(version, parse(file), null);
    } catch (IOException e) {
      LOG.warn(
          "Cannot load a revocation list; its previous contents stay in use until it is fixed: {}",
          e.getMessage());
      return before == null
          ? new LoadedFile(version, List.of(), version)
          : new LoadedFile(before.version, before.lists, version);
    }
  }

  /**
   * Returns what the newest list of the issuer says about a certificate. A certificate in an
   * expired list is revoked; one that is not in it may have been revoked later.
   */
  RevocationStatus status(X509Certificate certificate, X509Certificate issuer, Instant now) {
    String name = issuer.getSubjectX500Principal().getName();
    Crl newest = null;
    String problem = "there is no revocation list of " + name;
    for (Crl list : byIssuer.getOrDefault(issuer.getSubjectX500Principal(), List.of())) {
      if (!list.covers(certificate)) {
        continue;
      }
      if (!list.isSignedBy(issuer)) {
        problem = "the revocation list " + list.file() + " has no valid signature of " + name;
      } else if (newest == null || list.thisUpdate().isAfter(newest.thisUpdate())) {
        newest = list;
      }
    }
    return newest == null
        ? new RevocationStatus(Kind.UNDETERMINED, problem)
        : status(certificate, newest, now);
  }

  private static RevocationStatus status(X509Certificate certificate, Crl list, Instant now) {
    String revocation = list.revocationOf(certificate);
    if (revocation != null) {
      return RevocationStatus.revoked(
          "certificate "
              + certificate.getSerialNumber().toString(16)
              + " of "
              + certificate.getSubjectX500Principal().getName()
              + " was "
              + revocation
              + ", according to "
              + list.file());
    }
    Instant end = list.nextUpdate();
    if (end != null && !now.isBefore(end)) {
      return RevocationStatus.undetermined(
          "the revocation list " + list.file() + " expired at " + end);
    }
    if (now.isBefore(list.thisUpdate())) {
      return RevocationStatus.undetermined(
          "the revocation list " + list.file() + " is not valid before " + list.thisUpdate());
    }
    return RevocationStatus.GOOD;
  }
}
