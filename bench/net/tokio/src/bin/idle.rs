// A task for each connection, which waits in a read into a buffer of 256 bytes of its own.
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn main() -> std::io::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (mut conn, _) = listener.accept().await?;
            tokio::spawn(async move {
                let mut room = [0u8; 256];
                while let Ok(n) = conn.read(&mut room).await {
                    if n == 0 || conn.write_all(&room[..n]).await.is_err() {
                        return;
                    }
                }
            });
        }
    })
}
