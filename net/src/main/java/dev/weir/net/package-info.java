/**
 * What Weir asks of the system itself. UDP sockets that move many datagrams with one system call: {@code recvmmsg} and {@code sendmmsg} on Linux, one call for
 * each datagram elsewhere. {@link dev.weir.net.UdpSocket} is the socket, {@link dev.weir.net.Packets} what it moves.
 * {@link dev.weir.net.ThreadScheduling} says how threads share a processor.
 */
@NullMarked
package dev.weir.net;

import org.jspecify.annotations.NullMarked;
