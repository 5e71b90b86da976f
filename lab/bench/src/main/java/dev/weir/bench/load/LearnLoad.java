package dev.weir.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.load.population.HashRequests;
import dev.weir.load.population.Population;
import dev.weir.net.Packets;
import dev.weir.net.UdpOptions;
import dev.weir.net.UdpSocket;
import dev.weir.wire.Protocol;
import dev.weir.wire.reply.Reply;
import org.HdrHistogram.Histogram;

/**
 * A load of learn requests. In a closed loop, each client sends one, waits for the reply and sends the next. With a
 * rate, each request is due at its time, and an idle client sends it then; its latency counts from that time, also
 * while no client is idle. One thread serves all clients over one socket and with many packets per system call, which
 * leaves the machine to the server. A request without a timely reply is sent again with the same bytes, as scanners do,
 * and counts as unanswered after the last repetition.
 */
public final class LearnLoad {
    /** Packets per system call. */
    private static final int BATCH = 64;

    private static final int SOCKET_BUFFER = 4 << 20;
    private static final long SWEEP_MILLIS = 10;

    /** How long a load with a rate sleeps while there is nothing to do. */
    private static final long NAP_NANOS = 200_000;

    /** The low bits of a tag hold the number of the client, the others are random. */
    private static final int CLIENT_BITS = 10;

    /**
     * The clients and their patience.
     *
     * @param clients 1..1024
     * @param timeout time without a reply after which a request is sent again
     * @param retransmits maximum number of repetitions of a request
     * @param shingles whether the hashes have shingles
     * @param perSecond requests a second; 0 for a closed loop
     */
    public record Plan(int clients, Duration timeout, int retransmits, boolean shingles, int perSecond) {
        /** A closed loop for hashes with shingles. */
        public Plan(int clients, Duration timeout, int retransmits) {
            this(clients, timeout, retransmits, true, 0);
        }

        /** Rejects numbers that tags have no room for. */
        public Plan {
            if (perSecond < 0) {
                throw new IllegalArgumentException(perSecond + " requests a second");
            }
            if (clients < 1 || clients > 1 << CLIENT_BITS) {
                throw new IllegalArgumentException(clients + " clients: between 1 and " + (1 << CLIENT_BITS));
            }
        }
    }

    /** How long the load lasts. */
    public sealed interface Extent {
        /**
         * A number of hashes, all measured.
         *
         * @param learns the number of hashes
         * @param milestone number of hashes begun when {@code action} runs; negative for never
         * @param action runs in the sending thread; the load continues when it returns
         */
        record Count(int learns, int milestone, Runnable action) implements Extent {}

        /**
         * A number of hashes, all measured, or fewer if the time is over before. The warm-up ends at half of them, or
         * earlier.
         */
        record Within(int learns, Duration atMost, WarmUp warmUp) implements Extent {
            int half() {
                return learns / 2;
            }
        }

        /** A period: acknowledgments after the warm-up are measured. */
        record Time(Duration warmUp, Duration measured) implements Extent {}
    }

    private static final class Client {
        final int number;
        final byte[] request = new byte[HashRequests.MAX_BYTES];
        int length;
        int tag;
        int learn;
        int repetitions;
        long begun;
        long sent;
        boolean waiting;

        Client(int number) {
            this.number = number;
        }
    }

    private final Plan plan;
    private final Extent extent;
    private final HashRequests requests;
    private final SplittableRandom random = new SplittableRandom();
    private final byte[] scratch = new byte[Protocol.MAX_DATAGRAM];
    private final UdpSocket socket;
    private final Packets incoming = new Packets(BATCH, Protocol.MAX_DATAGRAM);
    private final Packets outgoing = new Packets(BATCH, HashRequests.MAX_BYTES);
    private int leaving;
    private final Client[] clients;

    /** Clients without a request, in a load with a rate. */
    private final ArrayDeque<Client> idle = new ArrayDeque<>();
    private long startedAt;
    private final BitSet acknowledged = new BitSet();
    private final BitSet refused = new BitSet();
    private final BitSet unanswered = new BitSet();
    private final BitSet repeated = new BitSet();
    private final Histogram early = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private final Histogram latency = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private int next;
    private final int first;
    private int waiting;
    private long retransmits;
    private long measured;
    private long silence;
    private long lastAnswer;
    private long measureFrom;
    private long stopAt;
    private long giveUpAt;

    private LearnLoad(UdpSocket socket, Plan plan, Population population, int first, Extent extent) {
        this.socket = socket;
        this.plan = plan;
        this.requests = new HashRequests(population, plan.shingles());
        this.extent = extent;
        this.first = first;
        this.next = first;
        this.clients = new Client[plan.clients()];
    }

    /**
     * Runs a load in the calling thread.
     *
     * @param first number of the first hash of the population to learn; the next ones follow, also beyond its size
     * @throws IOException if no socket can be opened
     */
    public static LearnResult run(InetSocketAddress storage, Plan plan, Population population, int first, Extent extent)
            throws IOException {
        try (UdpSocket socket = UdpSocket.connect(storage, new UdpOptions(SOCKET_BUFFER, SOCKET_BUFFER, false))) {
            return new LearnLoad(socket, plan, population, first, extent).run();
        }
    }

    private LearnResult run() throws IOException {
        long start = System.nanoTime();
        startedAt = start;
        lastAnswer = start;
        switch (extent) {
            case Extent.Count _ -> {
                measureFrom = start;
                stopAt = Long.MAX_VALUE;
            }
            case Extent.Within within -> {
                measureFrom = start;
                stopAt = Long.MAX_VALUE;
                giveUpAt = start + within.atMost().toNanos();
                if (isPaced()) {
                    within.warmUp().endBy(dueAt(first + within.half()));
                }
            }
            case Extent.Time time -> {
                measureFrom = start + time.warmUp().toNanos();
                stopAt = measureFrom + time.measured().toNanos();
            }
        }
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new Client(i);
            if (isPaced()) {
                idle.add(clients[i]);
            } else {
                begin(clients[i], System.nanoTime());
            }
        }
        beginDue();
        flush();
        long swept = start;
        while (waiting > 0 || (isPaced() && more(System.nanoTime()))) {
            receive();
            beginDue();
            long now = System.nanoTime();
            if (now - swept >= TimeUnit.MILLISECONDS.toNanos(SWEEP_MILLIS)) {
                swept = now;
                sweep(now);
            }
            flush();
        }
        long end = System.nanoTime();
        double seconds = (stopAt == Long.MAX_VALUE ? end - measureFrom : stopAt - measureFrom) / 1e9;
        return new LearnResult(next - first, acknowledged, refused, unanswered, repeated, retransmits, measured,
                seconds, (end - start) / 1e9, early, latency, silence);
    }

    private boolean more(long now) {
        return switch (extent) {
            case Extent.Count count -> next - first < count.learns();
            case Extent.Within within -> next - first < within.learns() && now - giveUpAt < 0;
            case Extent.Time _ -> now < stopAt;
        };
    }

    private boolean isPaced() {
        return plan.perSecond() > 0;
    }

    /** In a load with a rate, gives idle clients the requests that are due. */
    private void beginDue() {
        long now = System.nanoTime();
        while (isPaced() && !idle.isEmpty() && dueAt(next) - now <= 0 && more(now)) {
            long due = dueAt(next);
            Client client = idle.remove();
            begin(client, now);
            client.begun = due;
        }
    }

    private long dueAt(int learn) {
        return startedAt + (long) ((learn - first) * (1e9 / plan.perSecond()));
    }

    private void begin(Client client, long now) {
        if (!more(now)) {
            return;
        }
        if (extent instanceof Extent.Count count && next - first == count.milestone()) {
            count.action().run();
        }
        if (extent instanceof Extent.Within within && next - first == within.half()) {
            within.warmUp().endBy(System.nanoTime());
        }
        client.learn = next++;
        client.tag = random.nextInt() << CLIENT_BITS | client.number;
        client.length = requests.learn(client.learn, client.tag, client.request, 0);
        client.repetitions = 0;
        client.waiting = true;
        waiting++;
        // The clock is read again because the action at a milestone takes time that is not the server's.
        client.begun = System.nanoTime();
        send(client, client.begun);
    }

    private void send(Client client, long now) {
        client.sent = now;
        outgoing.put(leaving++, client.request, 0, client.length);
        if (leaving == BATCH) {
            flush();
        }
    }

    /** A full socket buffer drops packets, as any network may; they are sent again after the timeout. */
    private void flush() {
        if (leaving > 0) {
            socket.send(outgoing, leaving);
            leaving = 0;
        }
    }

    private void receive() {
        int count;
        try {
            count = isPaced() ? socket.poll(incoming) : socket.receive(incoming);
        } catch (IOException e) {
            // The system reports a refused earlier datagram, which is sent again after the timeout.
            return;
        }
        for (int i = 0; i < count; i++) {
            answer(incoming.copyTo(i, scratch));
        }
        if (isPaced() && count == 0) {
            LockSupport.parkNanos(NAP_NANOS);
        }
    }

    private void answer(int length) {
        Reply reply = Reply.decode(scratch, 0, length).orElse(null);
        int number = reply == null ? clients.length : reply.tag() & (1 << CLIENT_BITS) - 1;
        if (reply == null || number >= clients.length) {
            return;
        }
        Client client = clients[number];
        if (!client.waiting || client.tag != reply.tag()) {
            // The second reply to a request that was sent twice.
            return;
        }
        long now = System.nanoTime();
        silence = Math.max(silence, now - lastAnswer);
        lastAnswer = now;
        if (reply.isMatch()) {
            acknowledged.set(client.learn);
            if (now >= measureFrom && now < stopAt) {
                measured++;
                (isEarly(client) ? early : latency).recordValue(now - client.begun);
            }
        } else {
            refused.set(client.learn);
        }
        finish(client, now);
    }

    private boolean isEarly(Client client) {
        return extent instanceof Extent.Within within && within.warmUp().has(client.begun);
    }

    private void finish(Client client, long now) {
        client.waiting = false;
        waiting--;
        if (isPaced()) {
            idle.add(client);
        } else {
            begin(client, now);
        }
    }

    private void sweep(long now) {
        silence = Math.max(silence, now - lastAnswer);
        for (Client client : clients) {
            if (!client.waiting || now - client.sent < plan.timeout().toNanos()) {
                continue;
            }
            if (client.repetitions < plan.retransmits()) {
                client.repetitions++;
                retransmits++;
                repeated.set(client.learn);
                send(client, now);
            } else {
                unanswered.set(client.learn);
                finish(client, now);
            }
        }
    }
}
