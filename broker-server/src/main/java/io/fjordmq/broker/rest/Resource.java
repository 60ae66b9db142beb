package io.fjordmq.broker.rest;

import java.util.List;

/** One noun of the API, such as nodes or ranges. Thread-safe. */
public interface Resource {
  /** The operations of this noun, in the order in which the documentation lists them. */
  List<Operation> operations();
}
