package io.fjordmq.broker.trace;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.records.TestRecords;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The traces of nodes that follow the same records. */
public final class TestTraces implements AutoCloseable {
  public static final Caller ANN = caller("ann", null);

  final TestRecords records = new TestRecords();
  private final Path folder;
  private final TraceSettings settings;
  volatile boolean hasFreeDiskSpace = true;

  /**
   * @param folder where each node has a directory
   */
  public TestTraces(Path folder, TraceSettings settings) {
    this.folder = folder;
    this.settings = settings;
  }

  public static Caller caller(String name, @Nullable String tenant) {
    return new Caller(name, Caller.Kind.USER, Role.OPERATOR, tenant);
  }

  /** Opens the traces of a node. */
  public Traces open(String node) {
    return records.own(
        Traces.open(
            new Traces.Dependencies(
                records.client(),
                records::now,
                settings,
                node,
                folder.resolve(node),
                () -> hasFreeDiskSpace)));
  }

  static Trace.Draft draft(String name, TraceType type, String value) {
    return new Trace.Draft(
        name, type, value, null, PayloadEncoding.HIDDEN, null, null, TraceFormat.TEXT);
  }

  /** Waits until the node has handled all changes and written all lines; returns the file. */
  static String log(Traces traces, String name) {
    Trace trace =
        traces.list(ANN).stream()
            .filter(listed -> listed.name().equals(name))
            .findFirst()
            .orElseThrow();
    TraceFiles.Part part =
        TestRecords.get(
            traces.thread().read(() -> traces.files().read(trace.fileName(), 0, 1 << 20)));
    return new String(part.bytes(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    records.close();
  }
}
