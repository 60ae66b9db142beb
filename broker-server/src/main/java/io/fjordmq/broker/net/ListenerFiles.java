package io.fjordmq.broker.net;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** Validates the files that listeners refer to, before any listener is opened. */
public final class ListenerFiles {
  private ListenerFiles() {}

  /**
   * Reads and parses the TLS files of all listeners. Blocks on the disk.
   *
   * @return one message, with the key and the file, for each listener whose files cannot be used
   */
  public static List<String> findProblems(List<ListenerSettings> listeners) {
    List<String> problems = new ArrayList<>();
    for (ListenerSettings listener : listeners) {
      TlsSettings tls = listener.tls();
      if (tls == null) {
        continue;
      }
      try {
        ServerTls.open(listener.key(), tls, TlsLibrary.best(), InstantSource.system()).close();
      } catch (IllegalStateException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    return problems;
  }
}
