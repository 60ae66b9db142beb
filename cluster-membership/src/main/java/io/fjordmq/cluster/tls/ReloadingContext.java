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
 * One end of TLS between nodes, made anew when its files change: connections that exist stay as
 * they are, new ones use what the files say now. Files that cannot be used are refused with their
 * reason, and what they said before stays in force. Looked at in intervals and before every new
 * connection: file systems that tell of changes do not tell of all of them. Files that could not be
 * used are read again each time, whether they have changed or not: the reason may have been a
 * passing one. Thread-safe.
 */
public final class ReloadingContext extends SslContext {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadingContext.class);
  private static final long LOOK_SECONDS = 10;

  /** Makes a context of what the files say now. */
  @FunctionalInterface
  public interface Maker {
    /**
     * @throws IOException if they cannot be used; says which and why
     */
    SslContext make() throws IOException;
  }

  /** What tells one state of a file from another. */
  private record Signature(FileTime modified, long size, @Nullable Object key) {}

  /** What was said to be wrong with a state of the files. */
  private record ReportedFault(List<@Nullable Signature> of, String why) {}

  private final String what;
  private final ClusterTls files;
  private final Maker maker;
  private SslContext current;
  // Of those that are in force.
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
   * Reads the files for the first time.
   *
   * @param what the connections are, for the log
   * @param looking where it is looked from time to time whether they have changed
   * @throws IOException if they cannot be used; says which and why
   */
  public static ReloadingContext open(
      String what, ClusterTls files, Maker maker, EventExecutorGroup looking) throws IOException {
    ReloadingContext context = new ReloadingContext(what, files, maker);
    looking.scheduleWithFixedDelay(context::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    return context;
  }

  /** Takes over what the files say if they have changed since the last look. */
  synchronized void look() {
    List<@Nullable Signature> now = signatures();
    if (now.equals(seen)) {
      reportedFault = null;
      return;
    }
    try {
      SslContext next = maker.make();
      ReferenceCountUtil.release(current); // connections hold it as long as they need it
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
    look();
    return current.newEngine(allocator);
  }

  @Override
  public synchronized SSLEngine newEngine(ByteBufAllocator allocator, String host, int port) {
    look();
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
  @SuppressWarnings("deprecation") // the only way there is to say it
  public synchronized ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return current.applicationProtocolNegotiator();
  }

  @Override
  public synchronized SSLSessionContext sessionContext() {
    return current.sessionContext();
  }
}
