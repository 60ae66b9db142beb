package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.rpc.RaftRpcFactory;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcServer;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.SPI;
import org.jspecify.annotations.Nullable;

/**
 * Makes jraft use {@code RaftTransport}. jraft loads this factory as a service and keeps one static
 * instance, so it has no state: each group's client takes its host's transport from the options
 * that jraft passes to it.
 */
@SPI(priority = 10)
public final class NettyRaftRpcFactory implements RaftRpcFactory {

  /** Does nothing, because {@code RaftMessage} lists the messages. */
  @Override
  public void registerProtobufSerializer(String className, Object... args) {}

  @Override
  public RpcClient createRpcClient(@Nullable ConfigHelper<RpcClient> helper) {
    return new GroupRpcClient();
  }

  /**
   * @throws UnsupportedOperationException always, because the host opens the cluster port
   */
  @Override
  public RpcServer createRpcServer(Endpoint endpoint, @Nullable ConfigHelper<RpcServer> helper) {
    throw new UnsupportedOperationException("JRaftHost opens the cluster port");
  }
}
