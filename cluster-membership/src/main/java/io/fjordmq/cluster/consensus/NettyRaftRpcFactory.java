package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.rpc.RaftRpcFactory;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcServer;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.SPI;
import org.jspecify.annotations.Nullable;

/**
 * Makes jraft talk through our transport. jraft finds it as a service and holds the one instance
 * statically, so it has no state: each group's client finds its host's transport in the options
 * that jraft hands it.
 */
@SPI(priority = 10)
public final class NettyRaftRpcFactory implements RaftRpcFactory {

  /** The transport knows the messages it carries. */
  @Override
  public void registerProtobufSerializer(String className, Object... args) {}

  @Override
  public RpcClient createRpcClient(@Nullable ConfigHelper<RpcClient> helper) {
    return new GroupRpcClient();
  }

  /**
   * @throws UnsupportedOperationException always: the host opens the cluster port
   */
  @Override
  public RpcServer createRpcServer(Endpoint endpoint, @Nullable ConfigHelper<RpcServer> helper) {
    throw new UnsupportedOperationException("the host of the groups opens the cluster port");
  }
}
