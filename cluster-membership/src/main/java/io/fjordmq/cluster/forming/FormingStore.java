package io.fjordmq.cluster.forming;

import java.io.IOException;
import java.util.Optional;

/** Stores the state of a node without a cluster. Blocks. */
interface FormingStore {

  /** Returns the stored state; empty if the node has never waited for a cluster. */
  Optional<FormingState> load() throws IOException;

  /** Stores the state. It is durable when this method returns. */
  void save(FormingState state) throws IOException;
}
