package dev.weir.bench.jmh;

import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.Opened;
import dev.weir.wire.box.SharedKey;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.ServerKeys;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of encryption: opening a request with 32 shingles, sealing a reply, and the key agreement of a new client.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BoxBenchmark {
    private static final int REPLY = 96;

    private final SecureRandom random = new SecureRandom();
    private final KeyPair server = KeyPair.generate(random);
    private final KeyPair client = KeyPair.generate(random);
    private final ServerKeys keys = ServerKeys.of(List.of(server));
    private final ClientSession session = ClientSession.of(client, server.publicKey()).orElseThrow();
    private final Box box = new Box(random);
    private final byte[] sealed = new byte[Protocol.REQUEST_HEADER + Protocol.SHINGLED_COMMAND];
    private final byte[] request = new byte[sealed.length];
    private final byte[] reply = new byte[Protocol.REPLY_HEADER + REPLY];
    private final byte[] seal = new byte[sealed.length];

    /** Seals the request that the benchmark opens. */
    public BoxBenchmark() {
        box.sealRequest(session, sealed, 0, Protocol.SHINGLED_COMMAND);
    }

    /** Opens a request of a known client. */
    @Benchmark
    public Opened openRequest() {
        System.arraycopy(sealed, 0, request, 0, sealed.length);
        return box.open(keys, request, 0, request.length);
    }

    /** Seals a reply of 96 bytes. */
    @Benchmark
    public int sealReply() {
        return box.sealReply(session.shared(), reply, 0, REPLY);
    }

    /** Seals a request of a client. */
    @Benchmark
    public int sealRequest() {
        return box.sealRequest(session, seal, 0, Protocol.SHINGLED_COMMAND);
    }

    /** Computes the shared key with a new client (X25519). */
    @Benchmark
    public SharedKey agreement() {
        return SharedKey.of(server.secret(), client.publicKey()).orElseThrow();
    }
}
