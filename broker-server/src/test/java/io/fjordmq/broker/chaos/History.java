package io.fjordmq.broker.chaos;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/**
 * A file of events in the order in which they were recorded. Any thread writes; the events of one
 * client are in the order in which that client recorded them.
 */
final class History implements AutoCloseable {
  private final long startNanos = System.nanoTime();
  private final Path file;
  private final BufferedWriter out;

  History(Path file) throws IOException {
    this.file = file;
    this.out = Files.newBufferedWriter(file);
  }

  /** Records an event at the current time. */
  synchronized void add(LongFunction<HistoryEvent> event) {
    try {
      out.write(event.apply((System.nanoTime() - startNanos) / 1_000_000).line());
      out.newLine();
    } catch (IOException e) {
      throw new UncheckedIOException("the history " + file + " cannot be written", e);
    }
  }

  void recordFault(Fault fault) {
    add(millis -> new HistoryEvent.Fault(millis, fault.nodes(), fault.toString()));
  }

  void note(String words) {
    add(millis -> new HistoryEvent.Note(millis, words));
  }

  /** Reads a closed history; the caller closes the stream. */
  static Stream<HistoryEvent> read(Path file) throws IOException {
    return Files.lines(file).map(HistoryEvent::parse);
  }

  @Override
  public synchronized void close() throws IOException {
    out.close();
  }
}
