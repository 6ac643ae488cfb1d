// Each pair of connections in turn: from the one to the other until the end.
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

fn main() -> std::io::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        loop {
            let (mut source, _) = listener.accept().await?;
            let (mut to, _) = listener.accept().await?;
            tokio::io::copy(&mut source, &mut to).await?;
            to.shutdown().await?;
        }
    })
}
