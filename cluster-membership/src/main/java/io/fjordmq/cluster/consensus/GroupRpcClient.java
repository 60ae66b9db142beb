package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.option.RpcOptions;
import com.alipay.sofa.jraft.rpc.InvokeCallback;
import com.alipay.sofa.jraft.rpc.InvokeContext;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.util.Endpoint;
import org.jspecify.annotations.Nullable;

/** One group's way to its peers. A node that was given no cluster port reaches none. */
final class GroupRpcClient implements RpcClient {

  @Override
  public boolean init(RpcOptions options) {
    return true;
  }

  @Override
  public void shutdown() {}

  @Override
  public boolean checkConnection(Endpoint endpoint) {
    return false;
  }

  @Override
  public boolean checkConnection(Endpoint endpoint, boolean createIfAbsent) {
    return false;
  }

  @Override
  public void closeConnection(Endpoint endpoint) {}

  @Override
  public void registerConnectEventListener(ReplicatorGroup group) {}

  @Override
  public Object invokeSync(
      Endpoint endpoint, Object request, @Nullable InvokeContext context, long timeoutMs)
      throws RemotingException {
    throw new RemotingException("this node has no cluster port and cannot reach " + endpoint);
  }

  @Override
  public void invokeAsync(
      Endpoint endpoint,
      Object request,
      @Nullable InvokeContext context,
      InvokeCallback callback,
      long timeoutMs)
      throws RemotingException {
    throw new RemotingException("this node has no cluster port and cannot reach " + endpoint);
  }
}
