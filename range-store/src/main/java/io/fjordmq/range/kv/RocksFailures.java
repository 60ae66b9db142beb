package io.fjordmq.range.kv;

import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BackgroundErrorReason;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns RocksDB's errors into {@link KvException} and follows those of its background. */
final class RocksFailures extends AbstractEventListener {
  private static final Logger LOG = LoggerFactory.getLogger(RocksFailures.class);

  private final Path directory;
  private final AtomicLong backgroundErrors = new AtomicLong();
  private volatile @Nullable KvException current;

  RocksFailures(Path directory) {
    super(
        EnabledEventCallback.ON_BACKGROUND_ERROR, EnabledEventCallback.ON_ERROR_RECOVERY_COMPLETED);
    this.directory = directory;
  }

  /** The background error that keeps RocksDB from writing, null if there is none. */
  @Nullable KvException current() {
    return current;
  }

  long count() {
    return backgroundErrors.get();
  }

  KvException translate(String what, RocksDBException cause) {
    return translate(what, cause.getStatus(), cause);
  }

  private KvException translate(String what, @Nullable Status status, @Nullable Exception cause) {
    KvException.Kind kind = kind(status, cause);
    String detail =
        cause != null ? String.valueOf(cause.getMessage()) : status == null ? "" : describe(status);
    String message = what + " in " + directory + ": " + detail + advice(kind);
    return cause == null ? new KvException(kind, message) : new KvException(kind, message, cause);
  }

  private static String describe(Status status) {
    return status.getCodeString() + (status.getState() == null ? "" : ": " + status.getState());
  }

  private static KvException.Kind kind(@Nullable Status status, @Nullable Exception cause) {
    String text =
        (cause == null ? "" : cause.getMessage() + " ")
            + (status == null ? "" : describe(status)).toLowerCase(Locale.ROOT);
    if (status != null && status.getSubCode() == Status.SubCode.NoSpace
        || text.contains("No space left")) {
      return KvException.Kind.DISK_FULL;
    }
    if (text.contains("lock hold by") || text.contains("While lock file")) {
      return KvException.Kind.LOCKED;
    }
    if (status != null && status.getCode() == Status.Code.Corruption) {
      return KvException.Kind.CORRUPTED;
    }
    return KvException.Kind.IO_ERROR;
  }

  private static String advice(KvException.Kind kind) {
    return switch (kind) {
      case DISK_FULL -> "; free some space, writing goes on by itself";
      case LOCKED -> "; another process uses this directory, stop it or choose another one";
      case CORRUPTED -> "; this node's state has to be copied from its peers again";
      default -> "";
    };
  }

  @Override
  public void onBackgroundError(BackgroundErrorReason reason, Status status) {
    backgroundErrors.incrementAndGet();
    KvException failure = translate("background " + reason + " failed", status, null);
    current = failure;
    LOG.error("state storage takes no writes: kind={} {}", failure.kind(), failure.getMessage());
  }

  @Override
  public void onErrorRecoveryCompleted(Status oldBackgroundError) {
    current = null;
    LOG.info("state storage takes writes again: directory={}", directory);
  }
}
