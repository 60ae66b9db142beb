package io.fjordmq.perf.micro;

import io.fjordmq.perf.inprocess.InProcessChannel;
import io.fjordmq.perf.inprocess.Packets;
import io.netty.buffer.ByteBuf;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A benchmark of a node in this process that has one publisher. */
@State(Scope.Benchmark)
public abstract class InProcessBenchmark {
  SingleLoopBroker broker;
  InProcessChannel publisher;

  /** Starts the node and its clients. JMH does not call the setup of a superclass first. */
  @Setup
  public void open() throws Exception {
    broker = new SingleLoopBroker();
    publisher = broker.client(connect());
    prepare();
  }

  /** Connects the other clients and creates what is sent. */
  abstract void prepare() throws Exception;

  /** The CONNECT of the publisher. */
  ByteBuf connect() {
    return Packets.connect("publisher", true);
  }

  @TearDown
  public void stop() throws Exception {
    broker.close();
  }
}
