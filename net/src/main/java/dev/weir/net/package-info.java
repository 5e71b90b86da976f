/**
 * Sockets: UDP sockets that move many datagrams with one system call ({@code recvmmsg} and {@code sendmmsg} on Linux, one
 * call for each datagram elsewhere), addresses to listen on, and files of Unix-domain sockets.
 * {@link dev.weir.net.UdpSocket} is the socket, {@link dev.weir.net.Packets} the datagrams that it moves.
 */
@NullMarked
package dev.weir.net;

import org.jspecify.annotations.NullMarked;
