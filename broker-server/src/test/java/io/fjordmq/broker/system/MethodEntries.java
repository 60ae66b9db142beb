package io.fjordmq.broker.system;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.fjordmq.testing.Await;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Records the methods of FjordMQ that another JVM enters, with the Java Debug Interface. Slows that
 * JVM down a lot while it is recording, but does not suspend its threads.
 */
final class MethodEntries implements AutoCloseable {
  /**
   * An entered method.
   *
   * @param thread the name of the thread
   * @param type the full name of the class, which may be nested or generated
   */
  record Entry(String thread, String type, String method) {}

  private final VirtualMachine machine;
  private final MethodEntryRequest request;
  private final Map<Long, String> threadNames = new HashMap<>();
  private List<Entry> entries = new ArrayList<>(); // guarded by this

  /** JVM options with which a JVM can be recorded. */
  static List<String> options(int port) {
    return List.of(
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:" + port);
  }

  /** Attaches to a JVM that was started with {@link #options}. */
  MethodEntries(int port) {
    AttachingConnector connector =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(one -> one.transport().name().equals("dt_socket"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    Objects.requireNonNull(arguments.get("hostname")).setValue("127.0.0.1");
    Objects.requireNonNull(arguments.get("port")).setValue(Integer.toString(port));
    try {
      machine = connector.attach(arguments);
    } catch (Exception e) {
      throw new IllegalStateException("cannot attach to the JVM at port " + port, e);
    }
    request = machine.eventRequestManager().createMethodEntryRequest();
    request.addClassFilter("io.fjordmq.*");
    request.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    Thread reader = new Thread(this::readEvents, "method-entries");
    reader.setDaemon(true);
    reader.start();
  }

  private void readEvents() {
    try {
      while (true) {
        for (Event event : machine.eventQueue().remove()) {
          if (event instanceof MethodEntryEvent entered) {
            add(entered);
          }
        }
      }
    } catch (InterruptedException | VMDisconnectedException e) {
      // closed, or the JVM has ended
    }
  }

  private void add(MethodEntryEvent entered) {
    String thread =
        threadNames.computeIfAbsent(
            entered.thread().uniqueID(), unknown -> entered.thread().name());
    ReferenceType type = entered.method().declaringType();
    synchronized (this) {
      entries.add(new Entry(thread, type.name(), entered.method().name()));
    }
  }

  /**
   * Records while the action runs and until the entries are complete. Entries of one thread are in
   * order.
   */
  List<Entry> during(Runnable action, Predicate<List<Entry>> complete) {
    synchronized (this) {
      entries = new ArrayList<>();
    }
    request.enable();
    action.run();
    Await.until("all methods entered", () -> complete.test(recorded()));
    request.disable();
    return recorded();
  }

  private synchronized List<Entry> recorded() {
    return List.copyOf(entries);
  }

  @Override
  public void close() {
    machine.dispose();
  }
}
