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
 * A client or server TLS context between nodes that reloads its files when they change. Existing
 * connections are not affected; new ones use the current files. Invalid files are rejected with a
 * warning, and the previous contents stay in effect. Files are checked periodically and before
 * every new connection, because file system notifications are not reliable everywhere. Rejected
 * files are read again at every check even if they have not changed, because the reason may have
 * been temporary. Thread-safe.
 */
public final class ReloadingContext extends SslContext {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadingContext.class);
  private static final long CHECK_INTERVAL_SECONDS = 10;

  /** Creates a context from the current files. */
  @FunctionalInterface
  public interface Maker {
    /**
     * @throws IOException if a file cannot be used; the message says which and why
     */
    SslContext make() throws IOException;
  }

  /** Detects changes of a file. */
  private record Signature(FileTime modified, long size, @Nullable Object key) {}

  /** The last reported reason why a state of the files was rejected. */
  private record ReportedFault(List<@Nullable Signature> of, String why) {}

  private final String what;
  private final ClusterTls files;
  private final Maker maker;
  private SslContext current;
  // Of the files in effect.
  private List<@Nullable Signature> seen;
  private @Nullable ReportedFault reportedFault;

  private ReloadingContext(String what, ClusterTls files, Maker maker) throws IOException {
    this.what = what;
    this.files = files;
    this.maker = maker;
    this.seen = signatures();
    this.current = maker.make();
  }

  /**
   * Loads the files and schedules the periodic check.
   *
   * @param what names the connections in the log
   * @param executor runs the periodic check
   * @throws IOException if a file cannot be used; the message says which and why
   */
  public static ReloadingContext open(
      String what, ClusterTls files, Maker maker, EventExecutorGroup executor) throws IOException {
    ReloadingContext context = new ReloadingContext(what, files, maker);
    executor.scheduleWithFixedDelay(
        context::reloadIfChanged, CHECK_INTERVAL_SECONDS, CHECK_INTERVAL_SECONDS, TimeUnit.SECONDS);
    return context;
  }

  /** Reloads the files if they have changed since they were last loaded. */
  synchronized void reloadIfChanged() {
    List<@Nullable Signature> now = signatures();
    if (now.equals(seen)) {
      reportedFault = null;
      return;
    }
    try {
      SslContext next = maker.make();
      ReferenceCountUtil.release(current); // connections retain it while they need it
      current = next;
      seen = now;
      reportedFault = null;
      LOG.info("Reloaded certFile, keyFile and trustFile section={}", what);
    } catch (IOException | RuntimeException e) {
      ReportedFault found = new ReportedFault(now, String.valueOf(e.getMessage()));
      if (!found.equals(reportedFault)) {
        reportedFault = found;
        LOG.warn(
            "Cannot reload certFile, keyFile or trustFile; the previous contents stay in "
                + "effect: {} section={}",
            e.getMessage(),
            what);
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
      BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
      return new Signature(is.lastModifiedTime(), is.size(), is.fileKey());
    } catch (IOException gone) {
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
