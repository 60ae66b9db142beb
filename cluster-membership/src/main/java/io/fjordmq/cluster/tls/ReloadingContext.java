package io.fjordmq.cluster.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.EventExecutorGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client or server TLS context for connections between nodes. It reloads its files when they
 * change. Existing connections are not affected; new connections use the current files. Invalid
 * files are rejected with a warning, and the previous contents stay in effect. Files are checked
 * periodically and before every new connection, because file system notifications are not reliable
 * everywhere. Rejected files are read again at every check even if they have not changed, because
 * the reason may have been temporary. Thread-safe.
 */
public final class ReloadingContext extends SslContext {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadingContext.class);
  private static final long CHECK_INTERVAL_SECONDS = 10;

  /** Creates a context from the current files. */
  @FunctionalInterface
  public interface Factory {
    /**
     * @throws IOException if a file cannot be used; the message names it and explains why
     */
    SslContext create() throws IOException;
  }

  /** Detects changes of a file. */
  private record Signature(FileTime modified, long size, @Nullable Object key) {}

  /** The last reported reason why a version of the files was rejected. */
  private record ReportedError(List<@Nullable Signature> files, String reason) {}

  private final String connections;
  private final ClusterTls files;
  private final Factory factory;
  private SslContext current;
  // Signatures of the files in effect.
  private List<@Nullable Signature> loaded;
  private @Nullable ReportedError reportedError;

  private ReloadingContext(String connections, ClusterTls files, Factory factory)
      throws IOException {
    this.connections = connections;
    this.files = files;
    this.factory = factory;
    this.loaded = signatures();
    this.current = factory.create();
  }

  /**
   * Loads the files and schedules the periodic check.
   *
   * @param connections describes the connections in log lines
   * @param executor runs the periodic check
   * @throws IOException if a file cannot be used; the message names it and explains why
   */
  public static ReloadingContext open(
      String connections, ClusterTls files, Factory factory, EventExecutorGroup executor)
      throws IOException {
    ReloadingContext context = new ReloadingContext(connections, files, factory);
    executor.scheduleWithFixedDelay(
        context::reloadIfChanged, CHECK_INTERVAL_SECONDS, CHECK_INTERVAL_SECONDS, TimeUnit.SECONDS);
    return context;
  }

  /** Reloads the files if they have changed since they were last loaded. */
  synchronized void reloadIfChanged() {
    List<@Nullable Signature> now = signatures();
    if (now.equals(loaded)) {
      reportedError = null;
      return;
    }
    try {
      SslContext next = factory.create();
      ReferenceCountUtil.release(current); // connections retain it while they need it
      current = next;
      loaded = now;
      reportedError = null;
      LOG.info("Reloaded certFile, keyFile and trustFile connections={}", connections);
    } catch (IOException | RuntimeException e) {
      ReportedError error = new ReportedError(now, String.valueOf(e.getMessage()));
      if (!error.equals(reportedError)) {
        reportedError = error;
        LOG.warn(
            "Cannot reload certFile, keyFile or trustFile; the previous contents stay in "
                + "effect: {} connections={}",
            e.getMessage(),
            connections);
      }
    }
  }

  private List<@Nullable Signature> signatures() {
    List<@Nullable Signature> all = new ArrayList<>();
    for (Path file : List.of(files.certFile(), files.keyFile(), files.trustFile())) {
      all.add(signature(file));
    }
    return all;
  }

  private static @Nullable Signature signature(Path file) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Signature(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    } catch (IOException missing) {
      return null;
    }
  }

  @Override
  public synchronized SSLEngine newEngine(ByteBufAllocator allocator) {
    reloadIfChanged();
    return current.newEngine(allocator);
  }

  @Override
  public synchronized SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
    reloadIfChanged();
    return current.newEngine(allocator, host, port);
  }

  @Override
  public synchronized boolean isClient() {
    return current.isClient();
  }

  @Override
  public synchronized List<String> cipherSuites() {
    return current.cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // SslContext requires it
  public synchronized ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.applicationProtocolNegotiator();
  }

  @Override
  public synchronized SSLSessionContext sessionContext() {
    return current.sessionContext();
  }
}
