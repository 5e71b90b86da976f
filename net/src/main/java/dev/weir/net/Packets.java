package dev.weir.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

import dev.weir.model.AddressBits;
import dev.weir.os.LinuxCalls;

/**
 * A fixed number of datagrams with their addresses, laid out as {@code recvmmsg} and {@code sendmmsg} want them (their
 * manual pages; 64-bit Linux): an array of headers, each of which points at an address, and through an entry of a list
 * of
 * buffers at its bytes. For one thread.
 */
public final class Packets {
    /** Bytes of an address of any family, as {@link #keepAddress} gives them. */
    public static final int ADDRESS = 28;

    static final int HEADER = 64;
    private static final int NAME = 0;
    private static final int NAME_LENGTH = 8;
    private static final int BUFFERS = 16;
    private static final int BUFFER_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int LENGTH = 56;
    private static final int BUFFER = 16;
    private static final int BUFFER_LENGTH = 8;
    private static final int ADDRESS_STRIDE = 32;
    private static final int LINE = 64;

    /** Packets that go through the system as one: what the oldest kernel that can do it takes. */
    private static final int MAX_CARS = 64;
    private static final int MAX_TRAIN_BYTES = 65_000;

    /** A control message that holds a short: its length, level and type, the short, and padding (cmsg(3)). */
    private static final int CONTROL_BYTES = 24;
    private static final int CONTROL_USED = 18;
    private static final int CONTROL_LEVEL = 8;
    private static final int CONTROL_TYPE = 12;
    private static final int CONTROL_VALUE = 16;

    private final int capacity;
    private final int maxBytes;
    private final int stride;
    private final long buffers;
    private final long addresses;
    private final long data;
    private final long trains;
    private final long controls;
    private final MemorySegment memory;
    private final MemorySegment trainHeaders;

    /** The first packet of each train, and what is behind the last one. */
    private final int[] firstOfTrain;

    /**
     * Room for {@code capacity} datagrams of up to {@code maxBytes} bytes.
     *
     * @param capacity 1..1024, the most that the system moves at once
     * @param maxBytes 1..65536
     */
    public Packets(int capacity, int maxBytes) {
        if (capacity < 1 || capacity > 1_024 || maxBytes < 1 || maxBytes > 1 << 16) {
            throw new IllegalArgumentException(capacity + " packets of " + maxBytes + " bytes");
        }
        this.capacity = capacity;
        this.maxBytes = maxBytes;
        // An odd number of lines: with a power of two, the packets would push each other out of the processor's cache.
        this.stride = ((maxBytes + LINE - 1) / LINE | 1) * LINE;
        this.buffers = (long) capacity * HEADER;
        this.addresses = buffers + (long) capacity * BUFFER;
        this.data = (addresses + (long) capacity * ADDRESS_STRIDE + LINE - 1) / LINE * LINE;
        this.trains = data + (long) capacity * stride;
        this.controls = trains + (long) capacity * HEADER;
        // Freed with this object, so it cannot be freed while a system call uses it.
        this.memory = Arena.ofAuto().allocate(controls + (long) capacity * CONTROL_BYTES, LINE);
        this.trainHeaders = memory.asSlice(trains, (long) capacity * HEADER);
        this.firstOfTrain = new int[capacity + 1];
        for (int i = 0; i < capacity; i++) {
            memory.set(ValueLayout.JAVA_LONG, header(i) + NAME, memory.address() + address(i));
            memory.set(ValueLayout.JAVA_LONG, header(i) + BUFFERS, memory.address() + buffer(i));
            memory.set(ValueLayout.JAVA_LONG, header(i) + BUFFER_COUNT, 1);
            memory.set(ValueLayout.JAVA_LONG, buffer(i), memory.address() + data(i));
            memory.set(ValueLayout.JAVA_LONG, train(i) + CONTROL, memory.address() + control(i));
            memory.set(ValueLayout.JAVA_LONG, control(i), CONTROL_USED);
            memory.set(ValueLayout.JAVA_INT, control(i) + CONTROL_LEVEL, LinuxCalls.SOL_UDP);
            memory.set(ValueLayout.JAVA_INT, control(i) + CONTROL_TYPE, LinuxCalls.UDP_SEGMENT);
        }
    }

    private long header(int i) {
        return (long) Objects.checkIndex(i, capacity) * HEADER;
    }

    private long buffer(int i) {
        return buffers + (long) i * BUFFER;
    }

    private long address(int i) {
        return addresses + (long) Objects.checkIndex(i, capacity) * ADDRESS_STRIDE;
    }

    private long data(int i) {
        return data + (long) Objects.checkIndex(i, capacity) * stride;
    }

    private long train(int i) {
        return trains + (long) Objects.checkIndex(i, capacity) * HEADER;
    }

    private long control(int i) {
        return controls + (long) i * CONTROL_BYTES;
    }

    /** How many packets there are. */
    public int capacity() {
        return capacity;
    }

    /** The longest packet. */
    public int maxBytes() {
        return maxBytes;
    }

    // ---- what was received ----

    /** Bytes of a packet that was received. */
    public int length(int i) {
        return memory.get(ValueLayout.JAVA_INT, header(i) + LENGTH);
    }

    /** Copies the bytes of a packet that was received and returns how many those are. */
    public int copyTo(int i, byte[] target) {
        int length = length(i);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, data(i), target, 0, length);
        return length;
    }

    /** The address that a packet came from. Allocates. */
    public InetAddress source(int i) {
        return SocketAddresses.decode(keepAddress(i)).getAddress();
    }

    /** The port that a packet came from. */
    public int sourcePort(int i) {
        return SocketAddresses.port(memory, address(i));
    }

    /** The first half of the address that a packet came from, as {@link AddressBits} has it. */
    public long sourceHigh(int i) {
        return SocketAddresses.high(memory, address(i));
    }

    /** The second half of the address that a packet came from, as {@link AddressBits} has it. */
    public long sourceLow(int i) {
        return SocketAddresses.low(memory, address(i));
    }

    /** A copy of the address of a packet, for {@link #put(int, byte[], int, int, byte[])}. */
    public byte[] keepAddress(int i) {
        byte[] kept = new byte[ADDRESS];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, address(i), kept, 0, ADDRESS);
        return kept;
    }

    // ---- what is to be sent ----

    /** Fills a packet that a connected socket will send. */
    public void put(int i, byte[] bytes, int offset, int length) {
        Objects.checkIndex(length - 1, maxBytes);
        MemorySegment.copy(bytes, offset, memory, ValueLayout.JAVA_BYTE, data(i), length);
        memory.set(ValueLayout.JAVA_LONG, buffer(i) + BUFFER_LENGTH, length);
        memory.set(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH, 0);
    }

    /** Fills a packet that goes to where one that was received came from. */
    public void put(int i, byte[] bytes, int offset, int length, Packets received, int from) {
        put(i, bytes, offset, length);
        MemorySegment.copy(received.memory, received.address(from), memory, address(i), ADDRESS);
        named(i);
    }

    /** Fills a packet that goes to an address that {@link #keepAddress} or {@link #address} gave. */
    public void put(int i, byte[] bytes, int offset, int length, byte[] address) {
        put(i, bytes, offset, length);
        MemorySegment.copy(address, 0, memory, ValueLayout.JAVA_BYTE, address(i), ADDRESS);
        named(i);
    }

    /**
     * The form in which packets keep an address.
     *
     * @throws IllegalArgumentException if the name of its host was not resolved
     */
    public static byte[] address(InetSocketAddress address) {
        return SocketAddresses.encode(address);
    }

    private void named(int i) {
        memory.set(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH, SocketAddresses.length(memory, address(i)));
    }

    // ---- for the sockets ----

    MemorySegment memory() {
        return memory;
    }

    /** Makes the first {@code count} packets take whatever comes. */
    void makeRoom(int count) {
        for (int i = 0; i < count; i++) {
            memory.set(ValueLayout.JAVA_LONG, buffer(i) + BUFFER_LENGTH, maxBytes);
            memory.set(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH, ADDRESS_STRIDE);
        }
    }

    /**
     * Couples packets to trains: neighbours of one length that go to one address become one message, which the system
     * is told
     * to cut into pieces of that length.
     *
     * @return how many trains the first {@code packets} packets make
     */
    int couple(int packets) {
        int count = 0;
        int next = 0;
        while (next < packets) {
            int first = next++;
            long bytes = outgoing(first);
            int most = (int) Math.min(first + (long) MAX_CARS, first + MAX_TRAIN_BYTES / Math.max(bytes, 1));
            while (next < packets && next < most && outgoing(next) == bytes && isSameAddress(first, next)) {
                next++;
            }
            long train = train(count);
            memory.set(ValueLayout.JAVA_LONG, train + NAME, memory.address() + address(first));
            memory.set(ValueLayout.JAVA_INT, train + NAME_LENGTH,
                    memory.get(ValueLayout.JAVA_INT, header(first) + NAME_LENGTH));
            memory.set(ValueLayout.JAVA_LONG, train + BUFFERS, memory.address() + buffer(first));
            memory.set(ValueLayout.JAVA_LONG, train + BUFFER_COUNT, next - first);
            memory.set(ValueLayout.JAVA_LONG, train + CONTROL_LENGTH, next - first > 1 ? CONTROL_BYTES : 0);
            memory.set(ValueLayout.JAVA_SHORT, control(count) + CONTROL_VALUE, (short) bytes);
            firstOfTrain[count++] = first;
        }
        firstOfTrain[count] = next;
        return count;
    }

    private boolean isSameAddress(int one, int other) {
        int length = memory.get(ValueLayout.JAVA_INT, header(one) + NAME_LENGTH);
        if (length != memory.get(ValueLayout.JAVA_INT, header(other) + NAME_LENGTH)) {
            return false;
        }
        // Both lengths there are can be compared by four bytes.
        for (int at = 0; at < length; at += Integer.BYTES) {
            if (memory.get(ValueLayout.JAVA_INT, address(one) + at) != memory.get(ValueLayout.JAVA_INT,
                    address(other) + at)) {
                return false;
            }
        }
        return true;
    }

    /** The headers of the trains that {@link #couple} made, from one on. */
    MemorySegment trains(int first) {
        return first == 0 ? trainHeaders : trainHeaders.asSlice((long) first * HEADER);
    }

    /** The first packet of a train; of the one behind the last, the packet behind the last. */
    int firstOf(int train) {
        return firstOfTrain[train];
    }

    MemorySegment bytes(int i) {
        return memory.asSlice(data(i), maxBytes);
    }

    /** The length of a packet that is to be sent. */
    int outgoing(int i) {
        return (int) memory.get(ValueLayout.JAVA_LONG, buffer(i) + BUFFER_LENGTH);
    }

    boolean hasAddress(int i) {
        return memory.get(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH) != 0;
    }

    void received(int i, int length, byte[] address) {
        memory.set(ValueLayout.JAVA_INT, header(i) + LENGTH, length);
        MemorySegment.copy(address, 0, memory, ValueLayout.JAVA_BYTE, address(i), ADDRESS);
    }
}
